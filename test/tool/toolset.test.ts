import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolNameError } from "../../src/errors.ts";
import { builtinTools } from "../../src/tool/builtin/index.ts";
import { defineTool } from "../../src/tool/define.ts";
import { createToolset, displayForm } from "../../src/tool/toolset.ts";
import { recordingLogger } from "./bench-of-calls.ts";

const run = () => "done";
const build = defineTool({
  name: "build",
  description: "Builds.",
  inputSchema: z.object({ id: z.string(), n: z.number().default(1) }),
  display: ({ id, n }) => `Build ${id} ${n} times`,
  deadline: 5_000,
  run,
});
const note = defineTool({
  name: "note",
  description: "Notes.",
  inputSchema: { type: "object" },
  inline: run,
  deadline: 10,
});
const tools = createToolset([build, note, ...builtinTools]);

describe("a toolset", () => {
  it("shows the model the same tools in the same order each time", () => {
    expect(tools.specs).toBe(tools.specs);
    expect(tools.specs.map(({ name }) => name)).toEqual(["build", "note", ...builtinTools.map(({ name }) => name)]);
    expect(Object.isFrozen(tools.specs)).toBe(true);
    expect(createToolset([build]).specs[0]).toBe(createToolset([build]).specs[0]);
  });

  it("finds its tools by name and nothing else", () => {
    expect(tools.get("build")).toBe(build);
    expect(tools.get("constructor")).toBeUndefined();
  });

  it("names both origins when two tools have one name", () => {
    const two = () => createToolset([build, note, { ...build }], ["the system", "the system", "thread t1"]);
    expect(two).toThrow(ToolNameError);
    expect(two).toThrow(/"build".*the system.*thread t1/);
    expect(() => createToolset([build, build])).toThrow(/tool 1 of the list.*tool 2 of the list/);
  });
});

describe("a call that the model wrote", () => {
  it("is accepted with what the thread has to know", () => {
    expect(tools.judge("build", '{"id":"42"}')).toEqual({
      args: { id: "42" },
      display: "Build 42 1 times",
      verdict: { as: "accepted", form: "run", passive: false, onRestart: "fail", deadline: 5_000 },
    });
    expect(tools.judge("sleep", '{"seconds":0.5}').verdict).toEqual({
      as: "accepted",
      form: "builtin",
      passive: true,
      onRestart: "again",
      wakeAfter: 500,
    });
    expect(tools.judge("note", "{}").verdict).not.toHaveProperty("deadline");
  });

  it.each(["", "  \n", "null", "{}"])("may come without arguments: %j", (raw) =>
    expect(tools.judge("note", raw)).toMatchObject({ args: {}, verdict: { as: "accepted" } }),
  );

  it.each(["receive_event__injected", "receive_event"])("cannot name %s", (name) =>
    expect(tools.judge(name, "{}").verdict).toMatchObject({ as: "refused", origin: "reserved_tool" }),
  );

  it("is told which tools there are when it names another", () => {
    const { verdict, args } = tools.judge("$READ FILE", '{"a":1}');
    expect(verdict).toMatchObject({ as: "refused", origin: "unknown_tool" });
    expect(verdict).toHaveProperty(
      "text",
      expect.stringMatching(/\$READ FILE.*build, note, sleep, sleep_until, sleep_until_event_or_input, spawn_thread/),
    );
    expect(args).toEqual({ a: 1 });
    expect(createToolset([]).judge("x", "{}").verdict).toHaveProperty("text", expect.stringContaining("no tools"));
  });

  it.each([
    ['{"id', "not JSON"],
    ["[]", "expected a JSON object, got []"],
    ['"{\\"id\\":\\"42\\"}"', "not a string"],
    ["7", "got 7"],
    [`{"id":${"[".repeat(2_000)}${"]".repeat(2_000)}}`, "levels deep"],
  ])("is refused with what the model wrote when it is no JSON object: %.20s", (raw, expected) =>
    expect(tools.judge("build", raw)).toMatchObject({
      args: {},
      raw,
      verdict: { as: "refused", origin: "validation", text: expect.stringContaining(expected) },
    }),
  );

  it("is refused however deep its lists are", () => {
    for (const depth of [1_000, 20_000, 2_000_000]) {
      const { verdict } = tools.judge("build", "[".repeat(depth) + "]".repeat(depth));
      expect(verdict.as).toBe("refused");
    }
  });

  it("is refused for its schema, and keeps the object that came", () => {
    const judged = tools.judge("build", '{"id":42}');
    expect(judged).toMatchObject({ args: { id: 42 }, verdict: { as: "refused", origin: "validation" } });
    expect(judged).not.toHaveProperty("raw");
    expect(judged.verdict).toHaveProperty("text", expect.stringContaining("id: expected string, got 42"));
  });

  it("never throws, always has an object and a form for people, whatever the model writes", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom("build", "note", "sleep"), fc.string({ unit: "binary" })),
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.json(),
          fc.json().map((json) => json.slice(0, -1)),
        ),
        (name, raw) => {
          const { args, display, verdict } = tools.judge(name, raw);
          expect(JSON.parse(JSON.stringify(args))).toEqual(args);
          expect(display?.isWellFormed()).toBe(true);
          if (verdict.as === "refused") expect(verdict.text.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  it("has no half surrogate in its arguments, which providers refuse", () => {
    expect(tools.judge("note", '{"a\\udc00":["\\ud83d","\\ud83d\\ude00"]}').args).toEqual({
      "a\uFFFD": ["\uFFFD", "😀"],
    });
  });

  it("falls back to the default form when its display fails", () => {
    const displays = [
      () => {
        throw new Error("no");
      },
      () => 7,
      () => " ",
      () => undefined,
    ];
    for (const display of displays) {
      const set = createToolset([
        defineTool({ name: "x", description: "", inputSchema: { type: "object" }, run, display: display as never }),
      ]);
      expect(set.judge("x", '{"a":1}').display).toBe(displayForm("x", { a: 1 }));
    }
  });

  it("is shown in at most 200 characters", () => {
    const set = createToolset([
      defineTool({ name: "x", description: "", inputSchema: { type: "object" }, run, display: () => "😀".repeat(500) }),
    ]);
    expect(set.judge("x", "{}").display).toHaveLength(199);
    expect(set.judge("y", JSON.stringify({ a: "b".repeat(900) })).display).toHaveLength(200);
  });

  it("tells the log, not the model, why a schema failed while it checked", () => {
    const { logger, lines } = recordingLogger();
    const failing = defineTool({
      name: "x",
      description: "",
      inputSchema: z.object({}).refine(() => {
        throw new Error("/etc/secret");
      }),
      run,
    });
    const { verdict } = createToolset([failing], [], logger).judge("x", "{}");
    expect(JSON.stringify(verdict)).not.toContain("secret");
    expect(JSON.stringify(lines)).toContain("/etc/secret");
  });
});

describe("the built-in waits", () => {
  it("take fractions of a second and up to a hundred years", () => {
    const wakeAfter = (seconds: number) => {
      const { verdict } = tools.judge("sleep", JSON.stringify({ seconds }));
      return verdict.as === "accepted" ? verdict.wakeAfter : verdict.origin;
    };
    expect([0.25, 30, 3_155_760_000, 0.0001].map(wakeAfter)).toEqual([250, 30_000, 3_155_760_000_000, 1]);
    expect([0, -1, 3_155_760_001].map(wakeAfter)).toEqual(["validation", "validation", "validation"]);
  });

  it("are passive, and only a timed one ends by itself", () => {
    expect(tools.judge("sleep_until_event_or_input", "").verdict).toEqual({
      as: "accepted",
      form: "builtin",
      passive: true,
      onRestart: "again",
    });
    expect(tools.judge("sleep", '{"seconds":1}').display).toBe("Sleep for 1 second");
  });
});
