import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { createSystem } from "../../../src/system/create.ts";
import { playScenario } from "../../../src/testing/scenarios/player.ts";
import { reportLines } from "../../../src/testing/scenarios/report.ts";
import type { SystemHooks } from "../../../src/thread/environment.ts";
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

/** A runtime that is wrong in one way: it is made like the real one, of parts that were tampered with. */
type Runtime = typeof createSystem;

const withHooks =
  (tamper: (hooks: SystemHooks) => SystemHooks): Runtime =>
  (options, hooks = {}) =>
    createSystem(options, tamper(hooks));

/** `change` gets each prompt before the model and the player do, and changes it in place. */
const withPrompts = (change: (prompt: LanguageModelV4Prompt) => void): Runtime =>
  withHooks((hooks) => ({
    ...hooks,
    onRequest(thread, prompt, uncommitted) {
      change(prompt);
      hooks.onRequest?.(thread, prompt, uncommitted);
    },
  }));

const withStore =
  (tamper: (store: Store) => Partial<Store>): Runtime =>
  (options, hooks) => {
    const { store } = options;
    if (!store) throw new Error("The player gives a store.");
    const changed = tamper(store);
    const forward = new Proxy(store, { get: (target, name) => Reflect.get(name in changed ? changed : target, name) });
    return createSystem({ ...options, store: forward }, hooks);
  };

const lines = async (fields: Record<string, unknown>, create: Runtime = createSystem): Promise<readonly string[]> =>
  reportLines(await playScenario(scenario(fields), { create }));

const twoCalls = {
  tools: [lookup],
  steps: [says("go"), calls(["c1", "lookup"], ["c2", "lookup"]), gives("c1", "one"), gives("c2", "two"), answers("ok")],
  expect: {
    model_requests: [
      { thread: "t1" },
      {
        thread: "t1",
        messages: [
          { role: "user", kind: "text" },
          { kind: "tool_call", call: "c1" },
          { kind: "tool_call", call: "c2" },
          { kind: "tool_result", call: "c1", text_contains: "one" },
          { kind: "tool_result", call: "c2", text_contains: "two" },
        ],
      },
    ],
    final_state: "idle",
  },
};

const toolMessage = (prompt: LanguageModelV4Prompt) => prompt.find((message) => message.role === "tool");

describe("a fault of the runtime", () => {
  it("has none where the runtime is as it should be", async () =>
    expect(await lines(twoCalls)).toEqual(["ok X1 a story"]));

  it("R5 that swaps two results is shown beside what was expected", async () => {
    const swapped = withPrompts((prompt) => {
      const [one, two] = toolMessage(prompt)?.content ?? [];
      if (one?.type !== "tool-result" || two?.type !== "tool-result") return;
      [one.output, two.output] = [two.output, one.output];
    });
    expect(await lines(twoCalls, swapped)).toEqual([
      "FAIL X1 a story",
      "  at the end: model_requests, request 2 of t1 (exact)",
      "      expected                seen",
      '      user text               user text "go"',
      "      tool_call c1            assistant tool_call lookup c1 {}",
      "      tool_call c2            assistant tool_call lookup c2 {}",
      '    ≠ tool_result c1 "…one…"  tool tool_result lookup c1 (tool) "two"',
      '    ≠ tool_result c2 "…two…"  tool tool_result lookup c2 (tool) "one"',
    ]);
  });

  it("that rewords a result is seen in its content, and one that is no part of a request in a subsequence", async () => {
    const reworded = withPrompts((prompt) => {
      const [one] = toolMessage(prompt)?.content ?? [];
      if (one?.type === "tool-result") one.output = { type: "text", value: "one, more or less" };
    });
    const messages = [{ kind: "tool_result", content: [{ type: "text", text: "one" }] }];
    const expectations = { model_requests: [{ thread: "t1" }, { thread: "t1", messages, match: "subsequence" }] };
    expect(await lines({ ...twoCalls, expect: expectations })).toEqual(["ok X1 a story"]);
    expect(await lines({ ...twoCalls, expect: expectations }, reworded)).toContain(
      "  at the end: model_requests, request 2 of t1 (subsequence)",
    );
  });

  it.each<[string, string, (prompt: LanguageModelV4Prompt) => void]>([
    [
      "leaves out a result",
      "steps[3] (tool_result): invariant answered_calls, request 2 of t1: c1 has no result",
      (prompt) => void toolMessage(prompt)?.content.shift(),
    ],
    [
      "tells a result twice",
      "steps[3] (tool_result): invariant results_have_calls, request 2 of t1: c1 has two results",
      (prompt) => {
        const results = toolMessage(prompt)?.content;
        if (results?.[0]) results.push(results[0] as never);
      },
    ],
    [
      "lets the model speak last",
      'steps[0] (user): invariant ends_on_input, request 1 of t1: the last entry is assistant text "well"',
      (prompt) => void prompt.push({ role: "assistant", content: [{ type: "text", text: "well" }] }),
    ],
    [
      "shows reasoning before a user's text",
      "steps[0] (user): invariant no_reasoning_before_user, request 1 of t1",
      (prompt) => void prompt.unshift({ role: "assistant", content: [{ type: "reasoning", text: "hm" }] }),
    ],
  ])("R5 that %s breaks an invariant, whatever is expected", async (_, line, change) => {
    const [, first] = await lines({ ...twoCalls, expect: {} }, withPrompts(change));
    expect(first).toContain(line);
  });

  it("R1 that loses an input stops the play where the model has nothing to answer", async () => {
    const lossy = withStore((store) => ({
      accept: async (deliveries, limits) =>
        store.accept(
          deliveries.filter(({ input }) => input.kind !== "event"),
          limits,
        ),
    }));
    const steps = [says("go"), calls(["s1", "watch"]), answers("ok"), fires("s1", "tick"), answers("seen")];
    expect((await lines({ tools: [watch], steps }, lossy)).join("\n")).toContain("steps[3] (subscription_event)");
  });

  it("R2 that forgets what it has seen makes a request too many", async () => {
    const forgetful = withStore((store) => {
      let count = 0;
      return {
        accept: (deliveries, limits) =>
          store.accept(
            deliveries.map((delivery) => ({ ...delivery, key: `${delivery.key} ${count++}` })),
            limits,
          ),
      };
    });
    const steps = [says("go", { id: "m1" }), answers("ok"), { op: "redeliver", id: "m1" }];
    const found = await lines({ steps, expect: { model_requests: [{ thread: "t1" }] } }, forgetful);
    expect(found).toContain("  at the end: model_requests, how many of each thread");
    expect(found).toContain('    ≠ –         t1, request 2, ending in user text "go"');
  });

  it("R4 that lets an event through to a busy thread is seen at the checkpoint", async () => {
    const hasty = withStore((store) => ({
      accept: (deliveries, limits) =>
        store.accept(
          deliveries.map((delivery) => ({
            ...delivery,
            input:
              delivery.input.kind === "event"
                ? { kind: "text", text: "tick", sender: "user", whileBusy: "interrupt" }
                : delivery.input,
          })),
          limits,
        ),
    }));
    const steps = [
      says("go"),
      calls(["s1", "watch"]),
      calls(["c1", "lookup"]),
      fires("s1", "tick", { id: "e1" }),
      holds({ deferred: ["e1"], model_request_count: 2, final_state: "awaitingActiveCall" }),
    ];
    const found = await lines({ tools: [lookup, watch], steps }, hasty);
    expect(found).toContain("  steps[4] (checkpoint): deferred in t1");
    expect(found).toContain("  steps[4] (checkpoint): model_request_count");
    expect(found).toContain("    seen      running");
  });

  it("that tells nobody to stop is missed among the cancellations", async () => {
    const silent = withHooks(({ onAbort: _, ...hooks }) => hooks);
    const steps = [says("go"), calls(["c1", "lookup"]), says("no"), answers("ok")];
    const expectations = { cancellations: [{ thread: "t1", call: "c1" }] };
    expect(await lines({ tools: [lookup], steps, expect: expectations })).toEqual(["ok X1 a story"]);
    expect(await lines({ tools: [lookup], steps, expect: expectations }, silent)).toEqual([
      "FAIL X1 a story",
      "  at the end: cancellations",
      "    expected  t1 c1",
      "    seen      none",
    ]);
  });

  it("that only says it told a tool to stop is found out", async () => {
    const talk = withHooks((hooks) => ({
      ...hooks,
      onRequest(thread, prompt, uncommitted) {
        hooks.onAbort?.(thread, "t1#1.0" as never);
        hooks.onRequest?.(thread, prompt, uncommitted);
      },
    }));
    const steps = [says("go"), calls(["c1", "lookup"]), gives("c1", "one"), answers("ok")];
    const expectations = {
      cancellations: [
        { thread: "t1", call: "c1" },
        { thread: "t1", call: "c1" },
      ],
    };
    expect(await lines({ tools: [lookup], steps, expect: expectations }, talk)).toContain(
      "    seen      t1 c1 (its tool was not told), t1 c1 (its tool was not told)",
    );
  });

  it("that wakes a sleeper too soon is seen at the checkpoint", async () => {
    const early: Runtime = (options, hooks) => {
      const { clock } = options;
      if (!clock) throw new Error("The player gives a clock.");
      const fast = {
        ...clock,
        now: () => clock.now() * 2,
        setTimeout: (fn: () => void, ms: number) => clock.setTimeout(fn, ms / 2),
      };
      return createSystem({ ...options, clock: fast }, hooks);
    };
    const steps = [
      says("nap"),
      calls(["z1", "sleep", { seconds: 30 }]),
      passes(29),
      holds({ final_state: "idlePassive" }),
    ];
    const expectations = { open_requests: ["t1"] };
    expect((await lines({ steps, expect: expectations }, early)).join("\n")).toContain(
      "steps[3] (checkpoint): final_state of t1",
    );
  });

  it("that never comes to rest is given up", async () => {
    const restless: Runtime = (options, hooks) => {
      const { clock } = options;
      const again = () => void clock?.setTimeout(again, 0);
      again();
      return createSystem(options, hooks);
    };
    expect((await lines({ steps: [says("go"), answers("ok")] }, restless))[1]).toContain(
      "the runtime does not come to rest",
    );
  });

  it("that throws is told with its stack, and ends the play", async () => {
    const broken: Runtime = () => Promise.reject(new Error("no system today"));
    const [, first, second] = await lines({ steps: [says("go")] }, broken);
    expect(first).toBe("  before the first step: an error that nobody expected");
    expect(second).toContain("no system today");
  });

  it("that asks the model behind the player's back ends the play", async () => {
    const unannounced = withHooks(({ onRequest: _, ...hooks }) => hooks);
    expect((await lines({ steps: [says("go"), answers("ok")] }, unannounced))[1]).toContain("that no thread announced");
  });
});

describe("a scenario that cannot be as it says", () => {
  it.each<[string, readonly object[], string]>([
    ["answers where nothing was asked", [answers("ok")], "steps[0] (model_text): the model has nothing to answer"],
    [
      "answers more often than it is asked",
      [says("go"), streams([{ text: "ok" }], "final", { repeat: 2 })],
      "steps[1] (model_stream): answer 2 of 2 meets no request",
    ],
    [
      "lets time pass in a round",
      [says("go"), passes(1)],
      "steps[1] (advance_time): time cannot pass while a round is open",
    ],
    [
      "interrupts a thread at rest",
      [{ op: "interrupt", thread: "t1", text: "no" }],
      "steps[0] (interrupt): there is no round to interrupt",
    ],
    [
      "delivers again what never came",
      [{ op: "redeliver", id: "m9" }],
      'steps[0] (redeliver): no input with the id "m9"',
    ],
    [
      "acknowledges for no tool",
      [{ op: "dispatch_ack", call: "c1" }],
      "steps[0] (dispatch_ack): no tool waits to acknowledge c1",
    ],
    ["leaves a round open", [says("go")], "at the end: open_requests"],
  ])("fails when it %s", async (_, steps, line) => expect((await lines({ steps }))[1]).toContain(line));

  it("fails in everything it expects and does not see, each with both sides", async () => {
    const { steps, tools } = twoCalls;
    const all = reportLines(
      await playScenario(
        scenario({
          steps: [...steps, restarts],
          tools,
          expect: {
            model_request_count: 1,
            model_requests: [
              { thread: "t1" },
              { thread: "t1", messages: [{ role: "user" }], match: "tail", absent: [{ call: "c1" }], model: "other" },
            ],
            events: [{ type: "text" }, { type: "user_input" }],
            events_absent: [{ type: "tool_result", call: "c2" }],
            dispatched: [{ thread: "t1", tool: "lookup", call: "c1", user_id: "u" }],
            stored: { t1: [{ role: "user" }] },
            threads: { t2: "idle" },
            final_state: "running",
            deferred: ["e1"],
            active_subscriptions: ["s1"],
            outcomes: [["t1", "skipped"]],
            open_requests: ["t1"],
          },
        }),
      ),
    );
    expect(all.filter((line) => line.startsWith("  at the end"))).toEqual([
      "  at the end: model_request_count",
      "  at the end: model_requests, request 2 of t1 (tail)",
      "  at the end: model_requests, request 2 of t1, absent",
      "  at the end: model_requests, request 2 of t1, model",
      "  at the end: events, in this order among others",
      "  at the end: events_absent",
      "  at the end: stored history of t1",
      "  at the end: dispatched",
      "  at the end: final_state of t1",
      "  at the end: threads, t2",
      "  at the end: deferred in t1",
      "  at the end: active_subscriptions of t1",
      "  at the end: outcomes",
      "  at the end: open_requests",
    ]);
  });
});
