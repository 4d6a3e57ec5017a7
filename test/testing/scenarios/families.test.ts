import { describe, expect, it } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { createSystem } from "../../../src/system/create.ts";
import { playScenario, type ScenarioReport } from "../../../src/testing/scenarios/player.ts";
import { reportLines } from "../../../src/testing/scenarios/report.ts";
import {
  answers,
  calls,
  callsIn,
  fires,
  gives,
  holds,
  lookup,
  restarts,
  says,
  scenario,
  spawns,
  watch,
} from "../../support/scenarios/make.ts";

const told = (report: ScenarioReport): string => reportLines(report).join("\n");
const by = (thread: string) => ({ thread });
const [one, two] = [by("$child1"), by("$child2")];

const passing = async (steps: readonly object[], expectations: object, more: object = {}) =>
  expect(told(await playScenario(scenario({ steps, expect: expectations, ...more })))).toBe("ok X1 a story");

const failing = async (steps: readonly object[], expectations: object, more: object = {}) =>
  told(await playScenario(scenario({ steps, expect: expectations, ...more })));

/** A child that waits, beside a parent that does. */
const family = [says("go"), calls(spawns("k1")), answers("ok"), answers("ready", one)];
const report = (more: object = {}) => ({
  op: "child_report",
  thread: "t1",
  spawn_call: "k1",
  text: "half way",
  ...more,
});
const message = (more: object = {}) => ({
  op: "parent_message",
  thread: "$child1",
  spawn_call: "k1",
  text: "hurry",
  ...more,
});
const pair = (text: string) => [
  { kind: "event_call", source_call: "k1", source_tool: "spawn_thread" },
  { kind: "event_result", source_call: "k1", text_contains: text },
];

describe("a child's report", () => {
  it.each<[string, object]>([
    ["the child that is named", { child: "$child1" }],
    ["the child that the call spawned", {}],
  ])("comes from %s", (_, more) =>
    passing([...family, report(more), answers("I see")], {
      model_requests: [by("t1"), by("t1"), one, { thread: "t1", match: "tail", messages: pair("half way") }],
      events: [{ thread: "t1", type: "subscription_event", source_call: "k1", name: "spawn_thread" }],
    }),
  );

  it("is of nobody where the call spawned none, and is discarded", () =>
    passing([...family, report({ spawn_call: "k9", id: "p1" })], {
      events: [{ type: "input_discarded", id: "p1", text_contains: "unknown-source" }],
      model_request_count: 3,
    }));
});

describe("a parent's message", () => {
  it.each<[string, object]>([
    ["the thread, where that is the child of the call", {}],
    ["the child that the call of the thread spawned", { thread: "t1" }],
    ["the child that is named", { thread: "t1", child: "$child1", spawn_call: "k9" }],
  ])("goes to %s", (_, more) =>
    passing([...family, message(more), answers("yes", one)], {
      model_requests: [by("t1"), by("t1"), one, { ...one, match: "tail", messages: pair("hurry") }],
      events: [{ ...one, type: "subscription_event", source_call: "k1", text_contains: "hurry" }],
    }),
  );

  it("goes to a grandchild from the child above it, though both calls have one id", () =>
    passing(
      [
        ...family,
        says("split", one),
        callsIn("$child1", spawns("k1", "t1", "$child1")),
        answers("ok", one),
        answers("ok", two),
      ].concat([message({ ...two, spawn_call: "k1@2" }), answers("yes", two)]),
      {
        stored: {
          $child2: [
            { call: "k1@2", origin: "spawn_seed" },
            { kind: "text" },
            ...pair("hurry").map(({ source_call: _, ...same }) => ({ ...same, source_call: "k1@2" })),
            { kind: "text" },
          ],
        },
      },
    ));
});

describe("a child of an event", () => {
  const steps = [says("go"), calls(["s1", "watch"]), answers("ok"), fires("s1", "tick", { mode: "threaded" })];

  it("is seen from what it begins with, though it begins by itself", () =>
    passing(
      [...steps, answers("fine", one)],
      {
        model_requests: [
          by("t1"),
          by("t1"),
          {
            ...one,
            match: "tail",
            messages: [
              { kind: "seed_call", name: "spawn_thread" },
              { kind: "seed_result", origin: "spawn_seed", text_contains: "$child1" },
              { kind: "event_call", source_call: "s1", source_tool: "watch" },
              { kind: "event_result", text_contains: "tick" },
            ],
          },
        ],
        events: [
          { ...one, type: "subscription_event", source_call: "s1", name: "watch" },
          { ...one, type: "completion_started" },
          { ...one, type: "text", text_contains: "fine" },
        ],
      },
      { tools: [watch] },
    ));

  it("is seen again after a restart, and keeps its name", () =>
    passing(
      [...steps, restarts, answers("fine", one), fires("s1", "tock", { mode: "threaded" }), answers("fine too", two)],
      { threads: { $child1: "idle", $child2: "idle", $child3: "absent", child3: "absent" }, final_state: "subscribed" },
      { tools: [watch] },
    ));
});

describe("what a scenario says of children", () => {
  it("can be about the waiting inputs and subscriptions of one, as its main thread or beside it", () =>
    passing(
      [
        ...family.slice(0, 3),
        callsIn("$child1", ["s1", "watch"]),
        callsIn("$child1", ["c1", "lookup"]),
        message({ id: "g1" }),
        holds({ final_state: "awaitingActiveCall", deferred: ["g1"], active_subscriptions: ["s1"] }),
        gives("c1", "one", one),
        answers("ok", one),
      ],
      {
        active_subscriptions: { t1: [], $child1: ["s1"] },
        dispatched: [
          { ...one, tool: "watch", call: "s1", ancestors: ["t1"] },
          { ...one, tool: "lookup", call: "c1", ancestors: ["t1"] },
        ],
      },
      { tools: [lookup, watch], main_thread: "$child1" },
    ));

  it("stops the play where the runtime has not created it", async () => {
    const lines = await failing([...family, answers("too early", two)], {});
    expect(lines).toContain("steps[4] (model_text): the runtime has not created $child2");
    expect(lines).toContain("threads it created so far: 1");
  });

  it("is told by their names where it differs", async () => {
    const closing = callsIn("$child1", ["x1", "close_thread", { thread_id: "$child1" }]);
    const lines = await failing([...family.slice(0, 3), closing], {
      thread_closed_notifications: [],
      threads: { $child1: "idle" },
      dispatched: [],
      open_requests: [],
      stored: { $child1: [] },
    });
    expect(lines.split("\n").filter((line) => /^ {2}at the end|seen {6}/.test(line))).toEqual([
      "  at the end: stored history of $child1",
      "  at the end: thread_closed_notifications",
      "    seen      $child1",
      "  at the end: threads, $child1",
      "    seen      closed",
      "  at the end: open_requests",
      "    seen      t1",
    ]);
    expect(lines).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
  });
});

describe("halting", () => {
  it("settles what is under way, also below, and is told as cancellations", () =>
    passing(
      [
        ...family.slice(0, 2),
        calls(["c1", "lookup"]),
        callsIn("$child1", ["c2", "lookup"]),
        { op: "halt", thread: "t1" },
        report({ id: "p1" }),
        { op: "halt", thread: "t1" },
      ],
      {
        cancellations: [
          { thread: "t1", call: "c1" },
          { ...one, call: "c2" },
        ],
        final_state: "idle",
        threads: { $child1: "idle" },
        events: [{ type: "input_discarded", id: "p1", text_contains: "halted" }],
        model_request_count: 3,
      },
      { tools: [lookup] },
    ));
});

describe("a fault of the runtime with families", () => {
  const withStore = (story: object, tamper: (store: Store) => Partial<Store>) =>
    playScenario(scenario({ tools: [watch], ...story }), {
      create: (options, hooks) => {
        const { store } = options;
        if (!store) throw new Error("The player gives a store.");
        const changed = tamper(store);
        const tampered = new Proxy(store, {
          get: (target, name) => Reflect.get(name in changed ? changed : target, name),
        });
        return createSystem({ ...options, store: tampered }, hooks);
      },
    }).then(told);
  const reporting = {
    steps: [
      ...family.slice(0, 3),
      callsIn("$child1", ["p1", "report_to_parent", { report: "half" }]),
      answers("I see"),
    ],
  };

  it("that loses what threads tell each other leaves the model nothing to answer", async () =>
    expect(
      await withStore(reporting, (store) => ({ commit: (commit, at) => store.commit({ ...commit, sent: [] }, at) })),
    ).toContain("steps[4] (model_text): the model has nothing to answer"));

  it("that opens no child stops the play at the child's first step", async () =>
    expect(
      await withStore(reporting, (store) => ({
        commit: (commit, at) => store.commit({ ...commit, children: { ...commit.children, opened: [] } }, at),
      })),
    ).toContain("steps[3] (model_tool_calls): the runtime has not created $child1"));

  it("R5 that opens a child without what answers its inherited calls breaks an invariant", async () =>
    expect(
      await withStore(reporting, (store) => ({
        commit: (commit, at) => {
          const opened = commit.children.opened.map((thread) => ({ ...thread, entries: [] }));
          return store.commit({ ...commit, children: { ...commit.children, opened } }, at);
        },
      })),
    ).toContain("of $child1"));
});
