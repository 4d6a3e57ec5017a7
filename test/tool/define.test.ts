import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../machines/history/json.ts";
import { ToolDefinitionError } from "../../src/errors.ts";
import type { ToolCall } from "../../src/tool/call.ts";
import { defineTool, isTool } from "../../src/tool/define.ts";

const good = { name: "work", description: "Works.", inputSchema: z.object({}) };
const run = () => "done";
/** As JavaScript would call it. */
const define = (fields: object) => defineTool({ ...good, ...fields } as never);
const problemWith = (fields: object): string => {
  try {
    define(fields);
  } catch (error) {
    expect(error).toBeInstanceOf(ToolDefinitionError);
    expect((error as ToolDefinitionError).code).toBe("TOOL_DEFINITION");
    return (error as Error).message;
  }
  return "no problem";
};

describe("defineTool", () => {
  it("gives a frozen tool that knows its form", () => {
    const tool = define({ run });
    expect(Object.isFrozen(tool)).toBe(true);
    expect(tool).toMatchObject({ name: "work", description: "Works.", form: "run", passive: false, onRestart: "fail" });
    expect(isTool(tool)).toBe(true);
    expect(isTool({ ...tool })).toBe(false);
    expect(isTool(null)).toBe(false);
  });

  it.each(["run", "dispatch", "inline", "subscribe"])("takes %s as a behaviour", (form) =>
    expect(define({ [form]: run }).form).toBe(form),
  );

  it("repeats calls of read-only and idempotent tools after a restart, unless told otherwise", () => {
    expect(define({ run, annotations: { readOnly: true } }).onRestart).toBe("again");
    expect(define({ run, annotations: { idempotent: true } }).onRestart).toBe("again");
    expect(define({ run, annotations: { idempotent: true }, onRestart: "fail" }).onRestart).toBe("fail");
    expect(define({ run, onRestart: "again" }).onRestart).toBe("again");
  });

  it("refuses a tool that does nothing, or two things", () => {
    expect(problemWith({})).toContain("exactly one of run, dispatch, inline, subscribe");
    expect(problemWith({ execute: run })).toContain("fromAiTool");
    expect(problemWith({ run, inline: run })).toContain("run and inline");
    expect(problemWith({ run: "soon" })).toContain("run must be a function");
    expect(problemWith({ run, resume: run })).toContain("resume belongs to subscribe");
  });

  it("refuses a passive tool that cannot be a wait", () => {
    expect(problemWith({ inline: run, passive: true })).toContain("passive with inline");
    expect(problemWith({ subscribe: run, passive: true })).toContain("passive with subscribe");
    expect(define({ dispatch: run, passive: true }).passive).toBe(true);
  });

  it("needs approval as it says, else when it is destructive, and never where it is allowed", () => {
    const needs = (more: object) => define({ run, ...more }).needsApproval;
    const destructive = { annotations: { destructive: true } };
    expect([needs({}), needs({ needsApproval: true }), needs(destructive)]).toEqual([false, true, true]);
    expect(needs({ ...destructive, needsApproval: false })).toBe(false);
    expect(needs({ ...destructive, needsApproval: true, approval: "allow" })).toBe(false);
    expect(needs({ needsApproval: () => true })).toBeTypeOf("function");
  });

  it("refuses approvals that cannot be", () => {
    expect(problemWith({ run, needsApproval: "yes" })).toContain("needsApproval must be");
    expect(problemWith({ run, needsApproval: true, approval: "deny" })).toContain("approval must be");
    expect(problemWith({ inline: run, annotations: { destructive: true } })).toMatch(/destructive.*use run/);
  });

  it("refuses needsApproval on an inline tool even where it is allowed", () =>
    expect(problemWith({ inline: run, needsApproval: true, approval: "allow" })).toContain(
      "needsApproval with inline",
    ));

  it("accepts a name exactly when providers do", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 70 }), fc.stringMatching(/^[a-zA-Z0-9_-]{1,66}$/)), (name) => {
        const isLegal = /^[a-zA-Z0-9_-]{1,64}$/.test(name) && !name.startsWith("receive_event");
        expect(problemWith({ run, name }) === "no problem").toBe(isLegal);
      }),
    );
    expect(problemWith({ run, name: "line\n" })).toContain("1 to 64 characters");
    expect(problemWith({ run, name: undefined })).toContain("1 to 64 characters");
  });

  it.each(["receive_event__injected", "receive_event"])("keeps %s for the runtime", (name) =>
    expect(problemWith({ run, name })).toContain("reserved"),
  );

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5"])("refuses %s as a deadline", (deadline) =>
    expect(problemWith({ run, deadline })).toContain("deadline must be a positive number of milliseconds"),
  );

  it("refuses other fields of the wrong kind, and what is no definition", () => {
    expect(problemWith({ run, description: 3 })).toContain("description");
    expect(problemWith({ run, display: "{build}" })).toContain("display must be a function");
    expect(problemWith({ run, onRestart: "maybe" })).toContain("onRestart");
    expect(problemWith({ run, passive: "yes" })).toContain("passive");
    expect(() => defineTool(undefined as never)).toThrow(ToolDefinitionError);
  });

  it("infers the arguments from zod, defaults and transforms applied", () => {
    defineTool({
      ...good,
      inputSchema: z.object({
        id: z.string(),
        n: z.number().default(1),
        at: z.string().transform((text) => new Date(text)),
      }),
      display: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ id: string; n: number; at: Date }>();
        return args.id;
      },
      run: (args, call) => {
        expectTypeOf(args).toEqualTypeOf<{ id: string; n: number; at: Date }>();
        expectTypeOf(call).toEqualTypeOf<ToolCall>();
      },
    });
  });

  it("gives tools with a JSON Schema plain JSON objects", () => {
    defineTool({
      ...good,
      inputSchema: { type: "object", properties: { id: { type: "string" } } },
      inline: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>(),
    });
  });

  it("does not compile where it would throw", () => {
    // @ts-expect-error two behaviours
    expect(() => defineTool({ ...good, run, inline: run })).toThrow();
    // @ts-expect-error no behaviour
    expect(() => defineTool(good)).toThrow();
    // @ts-expect-error an inline tool is no wait
    expect(() => defineTool({ ...good, inline: run, passive: true })).toThrow();
    // @ts-expect-error a dispatched tool has nobody to give a value to
    defineTool({ ...good, dispatch: async () => "done" });
    const withoutText = (async function* () {
      yield { id: "1" };
    })();
    // @ts-expect-error events need text
    defineTool({ ...good, subscribe: () => ({ started: "yes", events: withoutText }) });
  });
});
