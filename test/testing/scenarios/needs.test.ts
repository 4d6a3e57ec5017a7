import { describe, expect, it } from "vitest";
import { needsOf, unmetNeedsOf } from "../../../src/testing/scenarios/needs.ts";
import { calls, fires, gives, holds, restarts, says, scenario } from "../../support/scenarios/make.ts";

const needs = (fields: Record<string, unknown>) => needsOf(scenario(fields));

describe("what a scenario needs", () => {
  it("is nothing for a text and its answer", () =>
    expect(needs({ steps: [says("hello"), { op: "model_text", thread: "t1", text: "hi" }] })).toEqual([]));

  it.each([
    ["child threads", { steps: [calls(["k1", "spawn_thread"])] }],
    ["child threads", { steps: [fires("s1", "tick", { mode: "threaded" })] }],
    ["child threads", { expect: { threads: { $child1: "idle" } } }],
    [
      "child threads",
      { steps: [{ op: "batch", inputs: [{ op: "parent_message", thread: "t1", spawn_call: "k", text: "a" }] }] },
    ],
    ["closing", { steps: [calls(["x1", "close_thread"])] }],
    ["closing", { expect: { final_state: "closed" } }],
    ["choices", { steps: [{ op: "answer_choice", thread: "t1", call: "c1", selected: 0 }] }],
    ["choices", { steps: [holds({ pending_choices: ["c1"] })] }],
    ["OAuth prompts", { steps: [{ op: "oauth", thread: "t1", call: "c1", url: "u" }] }],
    ["view updates", { expect: { events: [{ type: "view_update" }] } }],
    ["snapshots", { steps: [{ op: "attach", thread: "t1", as: "a" }] }],
    ["compaction", { model: { context_window: 100 } }],
    ["compaction", { steps: [{ op: "compact", thread: "t1" }] }],
    ["halt", { steps: [{ op: "halt", thread: "t1" }] }],
    ["step mode", { mode: "step" }],
    ["restart", { steps: [restarts] }],
    ["graceful restart", { steps: [{ ...restarts, mode: "graceful" }] }],
    ["model switch", { steps: [{ op: "switch_model", thread: "t1", model: "other" }] }],
    [
      "model switch of one thread among several",
      { steps: [says("a", { thread: "t2" }), { op: "switch_model", thread: "t1", model: "other" }] },
    ],
    [
      "images",
      {
        steps: [
          {
            op: "tool_result",
            thread: "t1",
            call: "c1",
            content: [{ type: "image", data: "", media_type: "image/png" }],
          },
        ],
      },
    ],
    ["failing model resolution", { steps: [{ op: "fail_next", what: "model_resolve" }] }],
    ["cancel_subscription", { steps: [calls(["x1", "cancel_subscription"])] }],
    ["sleep_until", { steps: [calls(["x1", "sleep_until"])] }],
    ["read_result", { steps: [calls(["x1", "read_result"])] }],
    ["tool field retries", { tools: [{ name: "a", kind: "dispatched", retries: 3 }] }],
  ])("names %s for %j", (need, fields) => expect(needs(fields)).toEqual([need]));

  it("names each once, however often it is asked for", () =>
    expect(needs({ steps: [calls(["k1", "spawn_thread"], ["k2", "spawn_thread"]), restarts, restarts] })).toEqual([
      "child threads",
      "restart",
    ]));

  it("does not count a built-in's name that stands for a tool of the scenario, or for nothing", () => {
    const steps = [calls(["k1", "spawn_thread"])];
    expect(needs({ steps, tools: [{ name: "spawn_thread", kind: "dispatched" }] })).toEqual([]);
    expect(needs({ steps, builtins: false })).toEqual([]);
  });

  it("does not count what is expected to be empty", () =>
    expect(
      needs({ expect: { pending_choices: [], thread_closed_notifications: [], threads: { child1: "absent" } } }),
    ).toEqual([]));

  it("is met as the table says, and a player can be told otherwise", () => {
    const story = scenario({ steps: [gives("c1", "one"), restarts, { op: "fail_next", what: "model_resolve" }] });
    expect(unmetNeedsOf(story)).toEqual(["failing model resolution"]);
    expect(unmetNeedsOf(story, (need) => need === "failing model resolution")).toEqual(["restart"]);
  });
});
