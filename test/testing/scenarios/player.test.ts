import { describe, expect, it } from "vitest";
import { playScenario, playScenarios, type ScenarioReport } from "../../../src/testing/scenarios/player.ts";
import { reportLines } from "../../../src/testing/scenarios/report.ts";
import {
  answers,
  calls,
  fires,
  gives,
  holds,
  lookup,
  passes,
  restarts,
  says,
  scenario,
  streams,
  watch,
} from "../../support/scenarios/make.ts";

const told = (report: ScenarioReport): string => reportLines(report).join("\n");

/** Plays a story that has to pass; what differs is in the message. */
const passing = async (steps: readonly object[], expectations: object, more: object = {}) =>
  expect(told(await playScenario(scenario({ steps, expect: expectations, ...more })))).toBe("ok X1 a story");

const wait = { name: "wait", kind: "passive" };
const slow = { ...lookup, dispatch: "slow" };
const echo = { name: "echo", kind: "sync", result: "{a} and {b} and {a}" };
const results = (...texts: string[]) => texts.map((text) => ({ kind: "tool_result", text_contains: text }));
const lastRequest = (nth: number, messages: readonly object[]) => [
  ...Array.from({ length: nth - 1 }, () => ({ thread: "t1" })),
  { thread: "t1", match: "tail", messages },
];

describe("a scenario's calls", () => {
  it("are told apart when the model repeats an id", () =>
    passing(
      [
        says("go"),
        calls(["c1", "lookup"]),
        gives("c1", "one"),
        calls(["c1", "lookup"]),
        gives("c1@2", "two"),
        answers("ok"),
      ],
      {
        model_requests: lastRequest(3, [
          { kind: "tool_call", call: "c1" },
          { kind: "tool_result", call: "c1", text_contains: "one" },
          { kind: "tool_call", call: "c1@2" },
          { kind: "tool_result", call: "c1@2", text_contains: "two" },
        ]),
        dispatched: [
          { thread: "t1", tool: "lookup", call: "c1" },
          { thread: "t1", tool: "lookup", call: "c1@2" },
        ],
      },
      { tools: [lookup] },
    ));

  it("are told apart when the model gives none an id", () =>
    passing(
      [says("go"), calls(["", "lookup"], ["", "lookup"]), gives("@2", "two"), gives("", "one"), answers("ok")],
      { model_requests: lastRequest(2, results("one", "two")), final_state: "idle" },
      { tools: [lookup] },
    ));

  it("carry the root's user to the tool", () =>
    passing(
      [says("go", { metadata: { user_id: "u-7" } }), calls(["c1", "lookup"])],
      {
        dispatched: [{ thread: "t1", tool: "lookup", call: "c1", user_id: "u-7", ancestors: [] }],
        final_state: "awaitingActiveCall",
      },
      { tools: [lookup] },
    ));
});

describe("a scenario's tools", () => {
  it("fill their template with the arguments, and leave nothing for one that is missing", () =>
    passing(
      [says("go"), calls(["c1", "echo", { a: "x", b: [1] }], ["c2", "echo", { a: 2 }]), answers("ok")],
      { model_requests: lastRequest(2, results("x and [1] and x", "2 and  and 2")) },
      { tools: [echo] },
    ));

  it("fail inline too", () =>
    passing(
      [says("go"), calls(["c1", "echo"]), answers("ok")],
      { model_requests: lastRequest(2, [{ kind: "tool_result", call: "c1" }]), final_state: "idle" },
      { tools: [{ ...echo, dispatch: "fail" }] },
    ));

  it.each([
    ["after its acknowledgement", [{ op: "dispatch_ack", call: "c1" }, gives("c1", "one")]],
    ["before it", [gives("c1", "one"), holds({ model_request_count: 2 }), { op: "dispatch_ack", call: "c1" }]],
  ])("that are slow take a result %s", (_, steps) =>
    passing(
      [says("go"), calls(["c1", "lookup"]), ...steps, answers("ok")],
      { model_requests: lastRequest(2, results("one")), final_state: "idle" },
      { tools: [slow] },
    ),
  );

  it("that are passive wait for their seconds", () =>
    passing(
      [
        says("go"),
        calls(["c1", "wait", { seconds: 10 }]),
        passes(9),
        holds({ final_state: "idlePassive", model_request_count: 1 }),
        passes(1),
        answers("ok"),
      ],
      { final_state: "idle", cancellations: [] },
      { tools: [wait] },
    ));

  it("that are passive are delivered by hand, or woken early and silent then", () =>
    passing(
      [
        says("go"),
        calls(["c1", "wait"]),
        gives("c1", "over"),
        calls(["c2", "wait", { seconds: 5 }]),
        says("hey"),
        answers("ok"),
        passes(10),
      ],
      {
        model_request_count: 3,
        cancellations: [{ thread: "t1", call: "c2" }],
        events_absent: [{ type: "input_discarded" }],
      },
      { tools: [wait] },
    ));

  it("check arguments where they say how", () =>
    passing(
      [says("go"), calls(["c1", "lookup"]), answers("ok")],
      { model_requests: lastRequest(2, [{ kind: "tool_result", origin: "validation" }]), dispatched: [] },
      { tools: [{ ...lookup, input_schema: { type: "object", properties: { id: {} }, required: ["id"] } }] },
    ));

  it("are alone when the built-ins are off", () =>
    passing(
      [says("go"), calls(["z1", "sleep", { seconds: 1 }]), answers("ok")],
      { model_requests: lastRequest(2, [{ kind: "tool_result", origin: "unknown_tool" }]) },
      { builtins: false },
    ));

  it("confirm a subscription by hand, and end it with its final event", () =>
    passing(
      [
        says("go"),
        calls(["s1", "watch"]),
        gives("s1", "subscribed", { subscription: true }),
        answers("ok"),
        holds({ final_state: "subscribed", active_subscriptions: { t1: ["s1"] } }),
        fires("s1", "bye", { final: true }),
        answers("ok"),
        fires("s1", "late", { id: "e2" }),
      ],
      { final_state: "idle", active_subscriptions: [], events: [{ type: "input_discarded", id: "e2" }] },
      { tools: [{ name: "watch", kind: "subscription" }] },
    ));
});

describe("a scenario's model", () => {
  it("goes on with an open answer, and drops what was not complete when it is cut", () =>
    passing(
      [
        says("go"),
        streams([{ text: "half " }], "open"),
        streams([{ text: "done" }, { tool_call_delta: { id: "c1", name: "lookup", args: '{"a' } }], "open"),
        { op: "interrupt", thread: "t1", text: "no" },
        answers("ok"),
      ],
      {
        model_requests: lastRequest(2, [
          { kind: "text", text_contains: "go" },
          { kind: "text", text_contains: "half done" },
          { kind: "text", text_contains: "no", interrupt: true },
        ]),
        dispatched: [],
      },
      { tools: [lookup] },
    ));

  it("completes with a whole piece of reasoning the deltas that came before it", () =>
    passing([says("go"), streams([{ reasoning_delta: "de" }, { reasoning: "deep" }, { text: "ok" }], "final")], {
      stored: { t1: [{ role: "user" }, { kind: "reasoning", text_contains: "deep" }, { kind: "text" }] },
    }));

  it("fails for good, or as often as it is told before it answers; the waits between pass by themselves", async () => {
    await passing([says("go"), streams([{ text: "half" }], "error", { error: "fatal" })], {
      model_request_count: 1,
      events: [{ type: "completion_finished", usage: null }, { type: "info" }],
      final_state: "idle",
    });
    await passing([says("go"), streams([], "error", { error: "transient", repeat: 3 }), answers("ok")], {
      model_request_count: 4,
      events: [{ type: "info" }, { type: "info" }, { type: "info" }, { type: "text" }],
    });
  });

  it.each([
    ["truncated", [answers("ok")], 2],
    ["filtered", [], 1],
  ])("ends a turn %s, and none of its calls is dispatched", (end, rest, count) =>
    passing(
      [says("go"), streams([{ tool_call: { id: "c1", name: "lookup", args: {} } }], end), ...rest],
      { model_request_count: count, dispatched: [], final_state: "idle" },
      { tools: [lookup] },
    ),
  );

  it("counts tokens as the scenario says", () =>
    passing([says("go"), answers("ok", { usage: { total_tokens: 86 } })], {
      events: [{ type: "completion_finished", usage: 86 }],
    }));

  it("answers threads in whatever order the scenario likes", () =>
    passing([says("one"), says("two", { thread: "t2" }), answers("b", { thread: "t2" }), answers("a")], {
      model_requests: [{ thread: "t2" }, { thread: "t1" }],
      threads: { t2: "idle" },
      outcomes: [
        ["t2", "completed"],
        ["t1", "completed"],
      ],
    }));
});

describe("a restart", () => {
  it("R1 asks an open round again, and its reader sees the inputs once more", () =>
    passing([says("go"), streams([{ text: "half" }], "open"), restarts, answers("ok")], {
      model_requests: [{ thread: "t1" }, { thread: "t1", messages: [{ role: "user", text_contains: "go" }] }],
      stored: { t1: [{ role: "user" }, { kind: "text", text_contains: "ok" }] },
      events: [{ type: "text", text_contains: "half" }, { type: "user_input" }, { type: "text", text_contains: "ok" }],
    }));

  it("R1 keeps a result that waits for its sibling, what is deferred, and subscriptions", () =>
    passing(
      [
        says("go"),
        calls(["s1", "watch"]),
        calls(["c1", "lookup"], ["c2", "lookup"]),
        gives("c1", "one"),
        fires("s1", "tick", { id: "e1" }),
        restarts,
        holds({ final_state: "awaitingActiveCall", deferred: ["e1"], active_subscriptions: ["s1"] }),
        gives("c2", "two"),
        answers("ok"),
      ],
      {
        model_requests: lastRequest(3, [...results("one", "two"), { kind: "event_call" }, { kind: "event_result" }]),
        dispatched: [
          { thread: "t1", tool: "watch", call: "s1" },
          { thread: "t1", tool: "lookup", call: "c1" },
          { thread: "t1", tool: "lookup", call: "c2" },
        ],
      },
      { tools: [lookup, watch] },
    ));

  it("tells a call of the life before to stop, though its tool cannot hear it any more", () =>
    passing(
      [says("go"), calls(["c1", "lookup"]), restarts, says("no"), answers("ok")],
      { cancellations: [{ thread: "t1", call: "c1" }], final_state: "idle" },
      { tools: [lookup] },
    ));

  it("that is graceful stops the system and makes another", async () => {
    const steps = [
      says("go"),
      calls(["c1", "lookup"]),
      { ...restarts, mode: "graceful" },
      gives("c1", "one"),
      answers("ok"),
    ];
    const story = scenario({ steps, tools: [lookup], expect: { final_state: "idle", model_request_count: 2 } });
    expect(told(await playScenario(story, { supports: () => true }))).toBe("ok X1 a story");
  });

  it("R2 leaves nothing of the life before it that could speak twice", () =>
    passing([says("go"), calls(["z1", "sleep", { seconds: 10 }]), restarts, restarts, passes(20), answers("ok")], {
      model_request_count: 2,
      final_state: "idle",
      events_absent: [{ type: "input_discarded" }],
    }));
});

describe("inputs", () => {
  it("R2 are delivered again unchanged, alone or beside others", () =>
    passing(
      [
        { op: "batch", inputs: [says("one", { id: "m1" }), { op: "redeliver", id: "m1" }, says("two")] },
        answers("ok"),
        { op: "redeliver", id: "m1" },
      ],
      { model_requests: [{ thread: "t1", messages: [{ text_contains: "one" }, { text_contains: "two" }] }] },
    ));

  it("have fresh ids where the scenario gives none", () =>
    passing([says("again"), answers("one"), says("again"), answers("two")], { model_request_count: 2 }));
});

describe("time", () => {
  it("stops at each instant at which something is due: the first wakes the thread, the other is woken early", () =>
    passing(
      [
        says("go"),
        calls(["z1", "sleep", { seconds: 10 }], ["z2", "sleep", { seconds: 20 }]),
        passes(30),
        answers("ok"),
      ],
      {
        model_requests: lastRequest(2, [
          { call: "z1", origin: "timer" },
          { call: "z2", origin: "interrupted" },
        ]),
        cancellations: [{ thread: "t1", call: "z2" }],
      },
    ));
});

describe("the time of passive tools", () => {
  it("stops at each of them too", () =>
    passing(
      [says("go"), calls(["c1", "wait", { seconds: 10 }], ["c2", "wait", { seconds: 20 }]), passes(30), answers("ok")],
      {
        model_requests: lastRequest(2, [
          { call: "c1", origin: "tool" },
          { call: "c2", origin: "interrupted" },
        ]),
        cancellations: [{ thread: "t1", call: "c2" }],
        events_absent: [{ type: "input_discarded" }],
      },
      { tools: [wait] },
    ));
});

describe("a scenario that the runtime has no part for", () => {
  it("is skipped, with what it needs", async () => {
    const steps = [says("go"), { op: "fail_next", what: "model_resolve" }];
    expect(told(await playScenario(scenario({ steps })))).toBe("skip X1 a story (needs failing model resolution)");
  });

  it("fails where it is played all the same", async () => {
    const report = await playScenario(scenario({ steps: [says("go"), { op: "fail_next", what: "model_resolve" }] }), {
      supports: () => true,
    });
    expect(told(report)).toContain("steps[1] (fail_next): this player cannot play fail_next yet");
  });
});

describe("several scenarios", () => {
  it("are played in order, each on a store of its own", async () => {
    const one = scenario({ id: "A", steps: [says("go", { id: "m1" }), answers("ok")] });
    const reports = await Array.fromAsync(playScenarios([one, { ...one, id: "B" }]));
    expect(reports.map(told)).toEqual(["ok A a story", "ok B a story"]);
  });
});
