import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallId } from "../../../machines/history/ids.ts";
import type { Block } from "../../../machines/round/turn.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";
import { isDeferrable } from "../../../machines/thread/ledger.ts";
import type { Reading } from "../../../src/cli/show/reading.ts";
import { standingsOf } from "../../../src/cli/show/standing.ts";
import { calls, settle, waits } from "../../support/thread/blocks.ts";
import { Fold, threadId } from "../../support/thread/fold.ts";
import { story, Told } from "../../support/thread/story.ts";

const runner = { by: "process 1", until: 1 };

const readingOf = ({ stored }: Fold, more: Partial<Reading> = {}): Reading => ({
  thread: {
    threadId,
    spec: { tools: [], instructions: "", metadata: {} },
    opening: null,
    choices: [],
    views: [],
    ...stored,
  },
  timers: [],
  runner,
  since: new Map(),
  ...more,
});

const standings = (fold: Fold, more?: Partial<Reading>) => {
  const { calls, waiting } = standingsOf(readingOf(fold, more));
  return {
    calls,
    waiting: waiting.map(({ dedupId, standing }) => [dedupId, standing]),
    inputs: waiting,
  };
};

/** A thread that made calls and rests on them. */
const resting = (...blocks: Block[]) => {
  const fold = new Fold().accept({ kind: "text", text: "go" });
  settle(fold);
  return settle(fold.answered({ blocks }));
};

describe("what becomes of an input that waits", () => {
  it("is what the thread at rest holds back, whatever has happened to it (R4)", () =>
    fc.assert(
      fc.property(story, (steps) => {
        new Told(({ fold }) => {
          const isHeld = fold.state === "awaitingActiveCall";
          if (!isHeld && !["idlePassive", "subscribed", "idle"].includes(fold.state)) return;
          const deferred = standings(fold).waiting.flatMap(([id, standing]) => (standing === "deferred" ? [id] : []));
          const held = isHeld ? fold.stored.inbox.filter(isDeferrable).map(({ dedupId }) => dedupId) : [];
          expect(deferred).toEqual(held);
        }).tell(steps);
      }),
    ));

  it("names the calls that hold it back, and keeps results until the last of them", () => {
    const fold = resting(calls("a"), calls("b"));
    fold.accept(
      { kind: "text", text: "later", whileBusy: "wait", dedupId: "later" },
      { kind: "result", callId: fold.call("a"), content: [], dedupId: "a" },
    );
    const { inputs, calls: shown } = standings(fold);
    const whileOutstanding = [fold.call("b")];
    expect(inputs).toEqual([
      { ...fold.stored.inbox[0], standing: "deferred", whileOutstanding },
      { ...fold.stored.inbox[1], standing: "kept", whileOutstanding },
    ]);
    expect(shown.map(({ name, isAnswered }) => [name, isAnswered])).toEqual([
      ["a", true],
      ["b", false],
    ]);
  });

  it("is next for text that interrupts, and for all that it brings along (R6)", () => {
    const fold = resting(calls("a"));
    const inbox = [
      { seq: 7, dedupId: "later", at: 1, input: { kind: "text", text: "x", sender: "user", whileBusy: "wait" } },
      { seq: 8, dedupId: "now", at: 1, input: { kind: "text", text: "y", sender: "user", whileBusy: "interrupt" } },
    ] as const;
    const reading = readingOf(fold);
    const { waiting } = standingsOf({ ...reading, thread: { ...reading.thread, inbox } });
    expect(waiting.map(({ standing }) => standing)).toEqual(["next", "next"]);
  });

  it("says what was accepted and will be discarded or handed over, and why (R1)", () => {
    const fold = resting(calls("a"));
    const unknown = "t1#9.0" as CallId;
    const inbox: WaitingInput[] = [
      { seq: 7, dedupId: "r", at: 1, input: { kind: "result", callId: unknown, content: [], origin: "tool" } },
      { seq: 8, dedupId: "p", at: 1, input: { kind: "progress", callId: fold.call("a"), text: "half" } },
      {
        seq: 9,
        dedupId: "e",
        at: 1,
        input: { kind: "event", callId: unknown, text: "", associative: true, final: false },
      },
    ];
    const reading = readingOf(fold);
    const { waiting } = standingsOf({ ...reading, thread: { ...reading.thread, inbox } });
    expect(waiting.map(({ seq, at, dedupId, input, ...standing }) => standing)).toEqual([
      { standing: "discarded", reason: "call-not-outstanding" },
      { standing: "handed over" },
      { standing: "discarded", reason: "unknown-source" },
    ]);
  });
});

describe("an outstanding call", () => {
  const endings = (fold: Fold, more?: Partial<Reading>) => standings(fold, more).calls[0]?.endedBy;

  it("is listed with what can end it (R9)", () => {
    const fold = resting(calls("a", { form: "run", deadline: 50 }));
    const callId = fold.call("a");
    const timers = [
      { callId, purpose: "deadline", due: 70 },
      { callId: "t1#9.0" as CallId, purpose: "wake", due: 60 },
    ] as const;
    expect(endings(fold, { timers })).toEqual([
      { by: "result", from: "its tool" },
      { by: "deadline", due: 70 },
      { by: "interruption" },
      { by: "restart" },
    ]);
    expect(endings(resting(calls("a", { form: "dispatch", onRestart: "again" })))).toEqual([
      { by: "result", from: "anybody" },
      { by: "interruption" },
    ]);
  });

  it("that only waits is ended by its time, or by any input", () => {
    const fold = resting(waits("sleep", { form: "builtin", wakeAfter: 10 }));
    const timers = [{ callId: fold.call("sleep"), purpose: "wake", due: 70 }] as const;
    expect(endings(fold, { timers })).toEqual([{ by: "wake", due: 70 }, { by: "input" }]);
  });

  it("is lost when nobody runs the thread and its tool does not begin again; what it held back is next", () => {
    const fold = resting(calls("a", { form: "run" })).accept({
      kind: "text",
      text: "later",
      whileBusy: "wait",
      dedupId: "later",
    });
    expect(standings(fold).waiting).toEqual([["later", "deferred"]]);
    const asleep = standings(fold, { runner: null });
    expect(asleep.calls.map(({ isLost }) => isLost)).toEqual([true]);
    expect(asleep.waiting).toEqual([["later", "next"]]);
  });

  it.each([
    ["begins again", { onRestart: "again" }, "started"],
    ["was acknowledged", { form: "dispatch" }, "acknowledged"],
    ["was not handed over", {}, "committed"],
  ] as const)("still holds back when nobody runs the thread and it %s", (_, verdict, status) => {
    const fold = resting(calls("a", verdict)).accept({
      kind: "text",
      text: "later",
      whileBusy: "wait",
      dedupId: "later",
    });
    fold.stored.calls = fold.stored.calls.map((call) => ({ ...call, status }));
    const { calls: shown, waiting } = standings(fold, { runner: null });
    expect(shown.map(({ isLost }) => isLost)).toEqual([false]);
    expect(waiting).toEqual([["later", "deferred"]]);
  });
});
