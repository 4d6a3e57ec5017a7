import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinTools } from "../../../src/tool/builtin/index.ts";
import { createToolset } from "../../../src/tool/toolset.ts";

const tools = createToolset(builtinTools);
const judged = (name: string, args: object) => tools.judge(name, JSON.stringify(args));
const actOf = (name: string, args: object) => {
  const { verdict } = judged(name, args);
  return verdict.as === "accepted" ? verdict.act : verdict.text;
};

/** Each act with arguments that are right, what it does, and how people see it. */
const acts = [
  [
    "spawn_thread",
    { instructions: "do part A", child_of: ["t1"] },
    { do: "spawn", instructions: "do part A", childOf: ["t1"] },
    "Spawn a thread: do part A",
  ],
  ["report_to_parent", { report: "found\n a bug" }, { do: "report", text: "found\n a bug" }, "Report: found a bug"],
  [
    "send_message_to_child",
    { thread_id: "c1", message: "hurry" },
    { do: "message", to: "c1", text: "hurry" },
    "Tell c1: hurry",
  ],
  [
    "close_thread",
    { thread_id: "c1", report_to_parent: "A done" },
    { do: "close", threadId: "c1", report: "A done" },
    "Close the thread c1",
  ],
  ["cancel_subscription", { tool_call_id: "s1" }, { do: "cancel", call: "s1" }, "Cancel the subscription s1"],
] as const;

describe("the built-in tools", () => {
  it("stand before the model in an order that never changes", () =>
    expect(builtinTools.map(({ name }) => name)).toEqual([
      "sleep",
      "sleep_until",
      "sleep_until_event_or_input",
      "spawn_thread",
      "report_to_parent",
      "send_message_to_child",
      "close_thread",
      "cancel_subscription",
      "read_result",
    ]));

  it("say of each argument what it is", () => {
    for (const { name, description, inputSchema } of tools.specs) {
      expect(description?.length, name).toBeGreaterThan(80);
      for (const [field, schema] of Object.entries(inputSchema.properties ?? {}))
        expect(schema, `${name}.${field}`).toHaveProperty("description");
    }
  });

  it("are not there when they are left out: their names are unknown then", () =>
    expect(createToolset([]).judge("spawn_thread", "{}").verdict).toMatchObject({ origin: "unknown_tool" }));
});

describe("a built-in tool that is no wait", () => {
  it.each(acts)("%s is accepted with what it does, which the commit carries out (R7)", (name, args, act, display) =>
    expect(judged(name, args)).toEqual({
      args,
      display,
      verdict: { as: "accepted", form: "builtin", passive: false, onRestart: "again", act },
    }),
  );

  it.each(acts)("%s is refused as validation for each argument it lacks, by name", (name, args) => {
    for (const field of Object.keys(args).filter((field) => field !== "report_to_parent")) {
      const { verdict } = judged(name, { ...args, [field]: undefined });
      expect(verdict).toMatchObject({ as: "refused", origin: "validation" });
      expect(verdict).toHaveProperty("text", expect.stringContaining(`- ${field}: is missing`));
    }
  });

  it.each([
    ["spawn_thread", "instructions", { child_of: ["t1"] }],
    ["report_to_parent", "report", {}],
    ["send_message_to_child", "message", { thread_id: "c1" }],
  ])("%s says nothing blank: a blank %s is refused as validation (R5)", (name, field, others) =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\u3000", "\u00a0") }), (blank) => {
        const { verdict } = judged(name, { ...others, [field]: blank });
        expect(verdict).toMatchObject({ as: "refused", origin: "validation" });
        expect(verdict).toHaveProperty("text", expect.stringContaining(`- ${field}: ${field} must not be blank`));
      }),
    ),
  );

  it("close_thread goes without a last report, and takes a blank one as none", () => {
    const close = { do: "close", threadId: "c1", report: null };
    expect(actOf("close_thread", { thread_id: "c1" })).toEqual(close);
    expect(actOf("close_thread", { thread_id: "c1", report_to_parent: " \n" })).toEqual(close);
  });

  it("spawn_thread takes any stack, true or not: the thread knows the true one", () => {
    for (const child_of of [[], ["someone-else"], ["t1", ""]])
      expect(actOf("spawn_thread", { instructions: "A", child_of })).toMatchObject({ childOf: child_of });
    expect(actOf("spawn_thread", { instructions: "A", child_of: "t1" })).toMatch(/child_of: expected array, got "t1"/);
  });

  it("is shown to people in at most 200 characters, on one line", () => {
    const { display } = judged("report_to_parent", { report: "line\n".repeat(200) });
    expect(display).toHaveLength(200);
    expect(display).not.toMatch(/\n/);
  });
});
