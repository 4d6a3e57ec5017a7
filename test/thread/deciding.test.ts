import { describe, expect, it } from "vitest";
import {
  asked,
  calls,
  callsInline,
  refused,
  says,
  settle,
  thinks,
  told,
  turn,
  waits,
} from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string, more: object = {}): GivenInput => ({ kind: "text", text: words, ...more });
const patient = (words: string): GivenInput => text(words, { whileBusy: "wait" });
const stop: GivenInput = { kind: "interrupt" };
const result = (fold: Fold, name: string, more: object = {}): GivenInput => ({
  kind: "result",
  callId: fold.call(name),
  content: [{ type: "text", text: `${name} is done` }],
  ...more,
});

/** A thread whose model was just asked about `words`. */
const asking = (words = "go"): Fold => settle(new Fold().accept(text(words)));
/** A thread that waits for the calls that `blocks` make. */
const waitingFor = (...blocks: Parameters<typeof turn>[1][]): Fold => turn(asking(), ...blocks);
/** A thread with a subscription to `watch` that rests. */
const subscribed = (): Fold => {
  const fold = waitingFor(calls("watch"));
  settle(fold.accept(result(fold, "watch", { subscription: true })));
  return turn(fold, says("watching"));
};
const watchId = (fold: Fold) => fold.context.subscriptions[0]?.callId ?? "";
const event = (fold: Fold, words: string, more: object = {}): GivenInput => ({
  kind: "event",
  callId: watchId(fold) as never,
  text: words,
  associative: true,
  ...more,
});

describe("a thread at rest", () => {
  it("runs on a text and rests again", () => {
    const fold = turn(asking("hello"), says("hi"));
    expect(told(fold)).toEqual(["user:hello", "turn:hi"]);
    expect(fold.state).toBe("idle");
  });

  it("takes texts that were accepted together as one batch", () => {
    const fold = settle(new Fold().accept(text("one"), text("two")));
    expect(asked(fold)).toEqual(["user:one", "user:two"]);
  });

  it("lets what arrives while it prepares join the batch", () => {
    const fold = settle(new Fold().accept(text("one")).accept(text("two"), patient("three")));
    expect(asked(fold)).toEqual(["user:one", "user:two", "user:three"]);
  });

  it("stores nothing for a blank turn and ends the slice", () => {
    const fold = turn(asking(), says("\n"), thinks("hm", false));
    expect(told(fold)).toEqual(["user:go"]);
    expect(fold.state).toBe("idle");
  });

  it("acts on an interrupt by doing nothing", () => {
    const fold = new Fold().accept(stop);
    expect(fold.state).toBe("idle");
    expect(fold.stored.inbox).toEqual([]);
    expect(fold.commits[0]?.record).toBeNull();
  });

  it("is woken by an event and reads it under its source", () => {
    const fold = subscribed();
    expect(fold.state).toBe("subscribed");
    settle(fold.accept(event(fold, "tick")));
    expect(asked(fold)).toEqual(["event watch:tick"]);
  });

  it("ends the subscription with its final event, and discards what comes behind it", () => {
    const fold = subscribed();
    const source = event(fold, "late");
    settle(fold.accept(event(fold, "bye", { final: true }), source));
    turn(fold, says("ok"));
    expect(fold.state).toBe("idle");
    expect(told(fold).at(-2)).toBe("event watch:bye");
    const reasons = fold.commits.flatMap(({ facts }) =>
      facts.flatMap((fact) => (fact.type === "input.discarded" ? [fact.reason] : [])),
    );
    expect(reasons).toEqual(["subscription-ended"]);
    fold.accept(source);
    expect(fold.state).toBe("idle");
    expect(fold.stored.inbox).toEqual([]);
  });

  it("discards at once what answers nothing, with the reason (R1)", () => {
    const fold = turn(asking(), says("hi"));
    fold.accept({ kind: "result", callId: "t1#9.0" as never, content: [] });
    fold.accept({ kind: "event", callId: "t1#9.0" as never, text: "x", associative: true });
    fold.accept({ kind: "timer", callId: "t1#9.0" as never, purpose: "wake", due: 1 });
    fold.accept({ kind: "progress", callId: "t1#9.0" as never, text: "x" });
    expect(fold.state).toBe("idle");
    expect(fold.stored.inbox).toEqual([]);
    expect(fold.commits.slice(-4).flatMap(({ facts }) => facts.map((fact) => "reason" in fact && fact.reason))).toEqual(
      ["call-not-outstanding", "unknown-source", "call-not-outstanding", "call-not-outstanding"],
    );
  });
});

describe("an open round", () => {
  it("is cut by a text, which carries the mark; what was complete is kept", () => {
    const fold = asking();
    fold.accept(patient("later"), text("stop"), text("really"));
    expect(fold.cuts).toEqual(["round"]);
    expect(fold.state).toBe("running.completing.interrupting");
    settle(fold.answered({ outcome: "cut", blocks: [says("part"), calls("a"), thinks("hm")], usage: null }));
    expect(told(fold)).toEqual(["user:go", "turn:part+call a", "result a:interrupted"]);
    expect(asked(fold)).toEqual(["user!:stop", "user:really", "user:later"]);
  });

  it("keeps the mark of the text when a crash follows the commit of the cut", () => {
    const fold = asking().accept(text("stop"));
    fold.answered({ outcome: "cut", blocks: [says("part")], usage: null }).committed();
    expect(asked(settle(fold.restarted()))).toEqual(["user!:stop"]);
  });

  it("is cut by an interrupt and rests", () => {
    const fold = asking().accept(stop);
    expect(fold.cuts).toEqual(["round"]);
    settle(fold.answered({ outcome: "cut", blocks: [says("part")], usage: null }));
    expect(told(fold)).toEqual(["user:go", "turn:part"]);
    expect(fold.state).toBe("idle");
    expect(fold.stored.inbox).toEqual([]);
  });

  it("is cut by a text, and a stop that came behind it stops what the text begins", () => {
    const fold = asking().accept(text("stop that"), stop);
    settle(fold.answered({ outcome: "cut", blocks: [says("part")], usage: null }));
    expect(told(fold)).toEqual(["user:go", "turn:part", "user!:stop that"]);
    expect(fold.state).toBe("idle");
  });

  it("is not cut by an event, a patient text or a stale result (R4)", () => {
    const fold = subscribed();
    settle(fold.accept(text("go on")));
    fold.accept(event(fold, "tick"), patient("later"));
    fold.accept({ kind: "result", callId: "t1#9.0" as never, content: [] });
    expect(fold.cuts).toEqual([]);
    expect(fold.state).toBe("running.completing.open");
    turn(fold, says("done"));
    expect(asked(fold)).toEqual(["event watch:tick", "user:later"]);
  });

  it("that ends before it hears of the interruption is taken as it is", () => {
    const fold = asking().accept(text("stop"));
    settle(fold.answered({ blocks: [calls("a")] }));
    expect(told(fold)).toEqual(["user:go", "turn:call a"]);
    expect(asked(fold)).toEqual(["result a:interrupted", "user:stop"]);
    expect(fold.aborted).toEqual(["t1#1.0"]);
  });

  it.each(["truncated", "filtered", "failed"] as const)("that was %s executes none of its calls (R7)", (outcome) => {
    const fold = asking();
    settle(fold.answered({ outcome, blocks: [says("part"), calls("a"), refused("b"), thinks("hm")], usage: null }));
    expect(fold.stored.calls).toEqual([]);
    const stored = [...told(fold), ...asked(fold)];
    expect(stored).toContain("result a:not_executed");
    expect(stored).toContain("result b:not_executed");
    expect(fold.state).toBe(outcome === "truncated" ? "running.completing.open" : "idle");
    if (outcome !== "truncated") expect(fold.stored.record.lastFailure?.message).not.toBe("");
  });

  it("that was truncated without calls rests with its text and the failure in sight", () => {
    const fold = settle(asking().answered({ outcome: "truncated", blocks: [says("long")] }));
    expect(fold.stored.record.lastFailure?.code).toBe("TURN_TRUNCATED");
    expect(told(fold)).toEqual(["user:go", "turn:long"]);
    expect(fold.state).toBe("idle");
  });

  it("that failed keeps the input, and what was kept meanwhile runs at once", () => {
    const fold = asking().accept(patient("and this"));
    settle(fold.answered({ outcome: "failed", failure: { code: "MODEL_FAILED", message: "gone" }, usage: null }));
    expect(told(fold)).toEqual(["user:go"]);
    expect(asked(fold)).toEqual(["user:and this"]);
    turn(fold, says("ok"));
    expect(fold.stored.record.lastFailure).toBeNull();
  });
});

describe("a thread with an active call out", () => {
  it("marks calls started before it hands them over, after the commit (R7)", () => {
    const fold = asking().answered({ blocks: [calls("a")] });
    expect(fold.state).toBe("running.committing");
    expect(fold.stored.calls).toEqual([]);
    fold.committed();
    expect(fold.state).toBe("running.dispatching");
    expect(fold.stored.calls.map(({ status }) => status)).toEqual(["committed"]);
    fold.dispatched();
    expect(fold.state).toBe("awaitingActiveCall");
    expect(fold.context.calls.map(({ status }) => status)).toEqual(["started"]);
  });

  it("hands over after a crash what was committed and not handed over", () => {
    const fold = asking()
      .answered({ blocks: [calls("a"), callsInline("b")] })
      .committed();
    const again = fold.restarted();
    expect(again.state).toBe("running.dispatching");
    settle(again);
    expect(told(again).at(-1)).toBe("result b:sync");
    expect(again.state).toBe("awaitingActiveCall");
  });

  it("reads what waits in the order of acceptance, though it was told of the later one first (R3)", () => {
    const fold = turn(settle(new Fold().accept({ kind: "text", text: "go" })), calls("build"));
    const wait = (text: string) => fold.file({ kind: "text", text, whileBusy: "wait" });
    const first = wait("first");
    fold.hear(wait("second")).hear(first);
    settle(fold.accept({ kind: "result", callId: fold.call("build"), content: [{ type: "text", text: "done" }] }));
    expect(asked(fold).slice(-2)).toEqual(["user:first", "user:second"]);
  });

  it("defers what can wait, durably and in order, until the last result is there (R3, R4)", () => {
    const fold = subscribed();
    turn(settle(fold.accept(text("run"))), calls("a"), calls("b"));
    fold.accept(event(fold, "one"));
    fold.accept(patient("two"), event(fold, "three"));
    fold.accept(result(fold, "b"));
    expect(fold.state).toBe("awaitingActiveCall");
    expect(fold.announced).toHaveLength(3);
    expect(fold.stored.inbox).toHaveLength(4);
    settle(fold.accept(result(fold, "a")));
    expect(asked(fold)).toEqual(["result a:tool", "result b:tool", "event watch:one", "user:two", "event watch:three"]);
  });

  it("wakes its waits when the last result comes, and says that a result did", () => {
    const fold = waitingFor(calls("a"), waits("nap"));
    fold.accept(patient("later"));
    settle(fold.accept(result(fold, "a")));
    const nap = fold.context.slice.entries.find(({ entry }) => entry.kind === "result" && entry.name === "nap");
    expect(JSON.stringify(nap)).toContain("Woken early by another result");
  });

  it("is interrupted by a text: results that are there are kept, the rest is settled and told to stop (R6)", () => {
    const fold = subscribed();
    turn(settle(fold.accept(text("run"))), calls("a"), waits("nap"), calls("b"));
    const [a, nap] = [fold.call("a"), fold.call("nap")];
    fold.accept(event(fold, "tick"));
    fold.accept(text("never mind"), result(fold, "b"));
    settle(fold);
    expect(asked(fold)).toEqual([
      "result a:interrupted",
      "result nap:interrupted",
      "result b:tool",
      "user:never mind",
      "event watch:tick",
    ]);
    expect(fold.aborted).toEqual([a, nap]);
  });

  it("is not interrupted by a text that comes together with the last result: acceptance order stands", () => {
    const fold = subscribed();
    turn(settle(fold.accept(text("run"))), calls("a"), waits("nap"));
    fold.accept(event(fold, "tick"));
    settle(fold.accept(text("well?"), result(fold, "a")));
    expect(asked(fold)).toEqual(["result a:tool", "result nap:interrupted", "event watch:tick", "user:well?"]);
  });

  it("drops a second result of the same call (R2 holds by the call, not by the id)", () => {
    const fold = waitingFor(calls("a"), calls("b"));
    fold.accept(result(fold, "a"));
    fold.accept(result(fold, "a"));
    expect(fold.stored.inbox).toHaveLength(1);
    expect(fold.commits.at(-1)?.facts[0]).toMatchObject({ type: "input.discarded", reason: "call-already-answered" });
  });

  it("settles what is out on an interrupt, releases the deferred, and else asks nothing", () => {
    const fold = waitingFor(calls("a"));
    settle(fold.accept(stop));
    expect(told(fold).at(-1)).toBe("result a:interrupted");
    expect(fold.state).toBe("idle");
    const other = waitingFor(calls("a"));
    settle(other.accept(patient("then")).accept(stop));
    expect(asked(other)).toEqual(["result a:interrupted", "user:then"]);
  });

  it("keeps an event that overtook the first result until the call is settled", () => {
    const fold = waitingFor(calls("watch"));
    const watch = fold.call("watch");
    const early: GivenInput = { kind: "event", callId: watch, text: "early", associative: true };
    fold.accept(early);
    expect(fold.state).toBe("awaitingActiveCall");
    settle(fold.accept(result(fold, "watch", { subscription: true })));
    expect(asked(fold)).toEqual(["result watch:tool", "event watch:early"]);
    const other = waitingFor(calls("watch"));
    settle(other.accept({ ...early, callId: other.call("watch") }).accept(result(other, "watch")));
    expect(asked(other)).toEqual(["result watch:tool"]);
    expect(other.context.slice.facts.at(-1)).toMatchObject({ type: "input.discarded", reason: "unknown-source" });
  });

  it("settles a call whose deadline passed, with an error, and tells it to stop", () => {
    const fold = waitingFor(calls("a", { deadline: 500 }));
    const [timer] = fold.commits.flatMap(({ timers }) => timers);
    expect(timer).toMatchObject({ purpose: "deadline" });
    const a = fold.call("a");
    settle(fold.accept({ kind: "timer", callId: a, purpose: "deadline", due: timer?.due ?? 0 }));
    expect(fold.aborted).toEqual([a]);
    expect(asked(fold)).toEqual(["result a:timer"]);
  });

  it("does not hand over a call whose deadline passed before it could", () => {
    const fold = asking().answered({ blocks: [calls("a", { deadline: 1 }), calls("b")] });
    const a = fold.call("a");
    fold.accept({ kind: "timer", callId: a, purpose: "deadline", due: 1 }).committed();
    expect(fold.state).toBe("running.dispatching");
    fold.dispatched();
    expect(fold.context.calls.map(({ name, status }) => `${name} ${status}`)).toEqual(["a committed", "b started"]);
    settle(fold.accept(result(fold, "b")));
    expect(asked(fold)).toEqual(["result a:timer", "result b:tool"]);
  });

  it("hands news of a call to the application and keeps it out of the history", () => {
    const fold = waitingFor(calls("a"));
    fold.accept({ kind: "progress", callId: fold.call("a"), text: "half" });
    expect(fold.state).toBe("awaitingActiveCall");
    expect(fold.commits.at(-1)?.facts).toEqual([{ type: "call.progressed", callId: fold.call("a"), text: "half" }]);
    expect(fold.stored.inbox).toEqual([]);
  });
});

describe("a thread that only waits", () => {
  it("is woken by its timer", () => {
    const fold = waitingFor(waits("sleep", { wakeAfter: 30_000 }));
    expect(fold.state).toBe("idlePassive");
    const [timer] = fold.commits.flatMap(({ timers }) => timers);
    settle(fold.accept({ kind: "timer", callId: fold.call("sleep"), purpose: "wake", due: timer?.due ?? 0 }));
    expect(asked(fold)).toEqual(["result sleep:timer"]);
    expect(fold.aborted).toEqual([]);
  });

  it("is woken early by anything else, and the wait is told to stop", () => {
    const fold = waitingFor(waits());
    const sleep = fold.call("sleep");
    settle(fold.accept(patient("hello")));
    expect(asked(fold)).toEqual(["result sleep:interrupted", "user:hello"]);
    expect(fold.aborted).toEqual([sleep]);
  });

  it("is not woken by an event that names the wait itself", () => {
    const fold = waitingFor(waits());
    fold.accept({ kind: "event", callId: fold.call("sleep"), text: "x", associative: true });
    expect(fold.state).toBe("idlePassive");
    expect(fold.stored.inbox).toEqual([]);
  });

  it("does not sleep when another call of the turn was refused", () => {
    const fold = waitingFor(waits(), refused("b"));
    expect(told(fold).slice(2)).toEqual(["result sleep:not_executed", "result b:validation"]);
    expect(fold.state).toBe("running.completing.open");
  });

  it("sleeps on beside an active call, whatever the wait's own result says", () => {
    const fold = waitingFor(calls("a"), waits("nap", { form: "dispatch" }));
    fold.accept(result(fold, "nap"));
    expect(fold.state).toBe("awaitingActiveCall");
    settle(fold.accept(result(fold, "a")));
    expect(asked(fold)).toEqual(["result a:tool", "result nap:tool"]);
  });
});

describe("inline calls", () => {
  it("are committed before the model is asked again, and the round has no inputs of its own", () => {
    const fold = asking()
      .answered({ blocks: [callsInline("a")] })
      .committed();
    expect(fold.state).toBe("running.callingInline.open");
    fold.accept(patient("later"));
    settle(fold);
    expect(told(fold)).toEqual(["user:go", "turn:call a", "result a:sync"]);
    expect(asked(fold)).toEqual([]);
    expect(fold.state).toBe("running.completing.open");
    turn(fold, says("ok"));
    expect(asked(fold)).toEqual(["user:later"]);
  });

  it("are asked about again after a crash, as they were", () => {
    const fold = asking()
      .answered({ blocks: [callsInline("a")] })
      .committed()
      .accept(patient("later"));
    fold.ranInline([{ callId: fold.call("a"), origin: "sync", content: [{ type: "text", text: "ran" }] }]).committed();
    const again = settle(fold.restarted());
    expect(asked(again)).toEqual([]);
    expect(again.state).toBe("running.completing.open");
  });

  it("are cut by a text: what has finished is kept, the text is next", () => {
    const fold = asking()
      .answered({ blocks: [callsInline("a"), callsInline("b")] })
      .committed();
    const [a, b] = [fold.call("a"), fold.call("b")];
    fold.accept(patient("later"), text("stop"));
    expect(fold.cuts).toEqual(["inline"]);
    fold.ranInline([
      { callId: a, origin: "sync", content: [{ type: "text", text: "ran" }] },
      { callId: b, origin: "interrupted", content: [{ type: "text", text: "cut" }] },
    ]);
    settle(fold);
    expect(told(fold).slice(2)).toEqual(["result a:sync", "result b:interrupted"]);
    expect(asked(fold)).toEqual(["user:stop", "user:later"]);
  });

  it.each(["commit", "dispatch"] as const)("are not begun when the text came during the %s before", (when) => {
    const fold = asking().answered({ blocks: [callsInline("a"), ...(when === "dispatch" ? [calls("b")] : [])] });
    if (when === "dispatch") fold.committed();
    fold.accept(text("stop"));
    settle(fold);
    expect(told(fold)).toContain("result a:interrupted");
    expect(asked(fold).at(-1)).toBe("user:stop");
  });

  it("are cut by an interrupt, and no round follows", () => {
    const fold = asking()
      .answered({ blocks: [callsInline("a")] })
      .committed()
      .accept(stop);
    fold.ranInline([{ callId: fold.call("a"), origin: "interrupted", content: [{ type: "text", text: "cut" }] }]);
    settle(fold);
    expect(fold.state).toBe("idle");
    expect(fold.stored.record.roundDue).toBe(false);
    expect(fold.stored.inbox).toEqual([]);
  });

  it("beside an active call wait for its result before the model reads them", () => {
    const fold = waitingFor(calls("a"), callsInline("b"));
    expect(fold.state).toBe("awaitingActiveCall");
    settle(fold.accept(result(fold, "a")));
    expect([...told(fold), ...asked(fold)]).toEqual([
      "user:go",
      "turn:call a+call b",
      "result b:sync",
      "result a:tool",
    ]);
    turn(fold, says("ok"));
    expect(told(fold).slice(2)).toEqual(["result a:tool", "result b:sync", "turn:ok"]);
  });
});

describe("limits of a thread", () => {
  it("end a row of rounds without input from outside, and a text starts the count anew", () => {
    const fold = settle(new Fold({ rounds: 3, equalCalls: 100 }).accept(text("go")));
    for (let round = 0; round < 3; round++) turn(fold, callsInline(`tool${round}`));
    expect(fold.state).toBe("idle");
    expect(fold.stored.record.lastFailure?.code).toBe("ROUND_LIMIT");
    expect(fold.commits.at(-1)?.facts.map(({ type }) => type)).toContain("failure");
    settle(fold.accept(text("go on")));
    expect(fold.state).toBe("running.completing.open");
    expect(fold.context.record.rounds).toBe(0);
  });

  it("let in what waits from outside once the count is used up, so that neither starves", () => {
    const fold = settle(new Fold({ rounds: 3, equalCalls: 100 }).accept(text("go")));
    fold.accept(patient("later"));
    for (let round = 0; round < 3; round++) turn(fold, callsInline(`tool${round}`));
    expect(asked(fold)).toEqual(["user:later"]);
    expect(fold.context.record.rounds).toBe(0);
  });

  it("see a row of equal calls inside one turn", () => {
    const fold = settle(new Fold({ equalCalls: 2 }).accept(text("go")));
    turn(fold, calls("x"), calls("x"), calls("x"), calls("y"));
    expect(fold.stored.record.lastFailure?.code).toBe("REPEATED_CALL");
  });

  it("stop a model that repeats itself, counting over slices and restarts", () => {
    let fold = settle(new Fold({ equalCalls: 2 }).accept(text("go")));
    turn(fold, calls("x"));
    settle(fold.accept(result(fold, "x")));
    turn(fold, waits(), calls("x"));
    fold = fold.restarted();
    settle(fold.accept(result(fold, "x")));
    turn(fold, calls("x"));
    expect(fold.stored.record.lastFailure?.code).toBe("REPEATED_CALL");
    expect(told(fold).at(-1)).toBe("result x:not_executed");
    expect(fold.state).toBe("idle");
  });

  it("do not open one subscription too many, and tell its call to stop", () => {
    const fold = settle(new Fold({ subscriptions: 1 }).accept(text("go")));
    turn(fold, calls("a"), calls("b"));
    const b = fold.call("b");
    settle(fold.accept(result(fold, "a", { subscription: true }), result(fold, "b", { subscription: true })));
    expect(fold.context.subscriptions.map(({ name }) => name)).toEqual(["a"]);
    expect(fold.aborted).toEqual([b]);
  });
});
