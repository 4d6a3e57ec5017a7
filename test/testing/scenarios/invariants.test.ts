import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPromptBuilder } from "../../../src/prompt/builder.ts";
import { type Invariant, violationsOf } from "../../../src/testing/scenarios/invariants.ts";
import type { SeenMessage } from "../../../src/testing/scenarios/messages.ts";
import { requestMessages } from "../../../src/testing/scenarios/request-messages.ts";
import { anyRequestHistory, anyStyle } from "../../support/history/histories.ts";

const user: SeenMessage = { role: "user", kind: "text", text: "go" };
const said: SeenMessage = { role: "assistant", kind: "text", text: "ok" };
const thought: SeenMessage = { role: "assistant", kind: "reasoning", text: "hm" };
const call = (id: string, turn = 1): SeenMessage => ({
  role: "assistant",
  kind: "tool_call",
  call: id,
  pair: id,
  turn,
});
const result = (id: string): SeenMessage => ({ role: "tool", kind: "tool_result", call: id, pair: id, text: id });
const event = (id: string): SeenMessage[] => [
  { role: "assistant", kind: "event_call", source_call: "s1", pair: id, turn: -1 },
  { role: "tool", kind: "event_result", source_call: "s1", pair: id, text: id },
];

const broken = (...messages: SeenMessage[]): Invariant[] => [
  ...new Set(violationsOf(messages).map(({ invariant }) => invariant)),
];

const anyRequest = fc
  .tuple(anyRequestHistory, anyStyle)
  .map(([entries, style]) => requestMessages(createPromptBuilder(style).prompt("", entries), entries));

describe("the invariants of a request", () => {
  it("R5 hold for a whole conversation with a turn of several calls and an event", () =>
    expect(broken(user, said, call("c1"), call("c2"), result("c1"), result("c2"), ...event("e1"))).toEqual([]));

  it("R5 hold for every well-formed history, however its events are shown", () =>
    fc.assert(
      fc.property(anyRequest, (messages) => {
        expect(violationsOf(messages)).toEqual([]);
      }),
    ));

  it.each<[string, Invariant[], SeenMessage[]]>([
    ["a call without a result", ["answered_calls", "results_have_calls", "ends_on_input"], [user, call("c1")]],
    ["a text before the result", ["answered_calls"], [user, call("c1"), user, result("c1")]],
    ["an event before the result", ["answered_calls"], [user, call("c1"), ...event("e1"), result("c1")]],
    [
      "calls of two turns side by side",
      ["answered_calls"],
      [user, call("c1", 1), call("c2", 2), result("c1"), result("c2")],
    ],
    [
      "a call behind one of two results",
      ["answered_calls"],
      [user, call("c1"), call("c2"), result("c1"), call("c3"), result("c2"), result("c3")],
    ],
    ["a result without a call", ["results_have_calls"], [user, result("c1")]],
    ["a result before its call", ["results_have_calls", "answered_calls"], [user, result("c1"), call("c1"), user]],
    ["two results of one call", ["results_have_calls"], [user, call("c1"), result("c1"), result("c1")]],
    ["an answer at the end", ["ends_on_input"], [user, said]],
    ["nothing at all", ["ends_on_input"], []],
    ["reasoning before a user's text", ["no_reasoning_before_user"], [user, thought, user]],
  ])("are broken by %s", (_, invariants, messages) =>
    expect(broken(...messages).sort()).toEqual([...invariants].sort()),
  );

  it("are broken by whatever result of a request is taken away, doubled or put in front", () =>
    fc.assert(
      fc.property(anyRequest, fc.nat(), (messages, nth) => {
        const results = messages.flatMap((message, at) => (message.role === "tool" ? [at] : []));
        fc.pre(results.length > 0);
        const at = results[nth % results.length] ?? 0;
        const one = messages[at] as SeenMessage;
        expect(violationsOf(messages.toSpliced(at, 1))).not.toEqual([]);
        expect(violationsOf(messages.toSpliced(at, 0, one))).not.toEqual([]);
        expect(violationsOf([one, ...messages.toSpliced(at, 1)])).not.toEqual([]);
      }),
    ));
});
