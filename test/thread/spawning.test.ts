import { describe, expect, it } from "vitest";
import type { ThreadId } from "../../machines/history/ids.ts";
import { newRecord } from "../../machines/thread/commit.ts";
import type { NewThread, Opening } from "../../machines/thread/family.ts";
import {
  acts,
  calls,
  callsInline,
  closes,
  refused,
  says,
  settle,
  spawns,
  told,
  turn,
  waits,
} from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const asking = (limits = {}): Fold => settle(new Fold(limits).accept(text("go")));
const born = (fold: Fold): NewThread[] => fold.commits.flatMap(({ children }) => children.opened);
const sent = (fold: Fold) => fold.commits.flatMap((commit) => commit.sent);
const textsOf = (fold: Fold): string => JSON.stringify(fold.stored.history);

const child = "child1" as ThreadId;
const opening: Opening = {
  kind: "spawned",
  parent: "t0" as ThreadId,
  stack: ["t0" as ThreadId],
  position: 2,
  source: { callId: "t0#1.0" as never, providerCallId: "k", name: "spawn_thread", args: {} },
};
/** A thread that another one spawned, before its first round. */
const spawned = (more: Partial<Opening> = {}): Fold =>
  settle(
    new Fold(
      {},
      {
        version: 0,
        record: { ...newRecord, nextPosition: 3, roundDue: true },
        calls: [],
        subscriptions: [],
        history: [],
        inbox: [],
        children: [],
      },
      [],
      [],
      { ...opening, ...more },
    ),
  );

describe("a turn that spawns", () => {
  it("opens the child with the commit of the turn, and reads at once that it did (R7)", () => {
    const fold = turn(asking(), says("I split"), spawns("part A"));
    expect(told(fold)).toEqual(["user:go", "turn:I split+call spawn", "result spawn:spawned"]);
    expect(fold.state).toBe("running.completing.open");
    const [thread] = born(fold);
    expect(thread?.opening).toMatchObject({ kind: "spawned", parent: "t1", stack: ["t1"], position: 2 });
    expect(thread?.record).toMatchObject({ nextPosition: 3, roundDue: true });
    expect(thread?.entries).toMatchObject([{ position: 2, entry: { kind: "result", origin: "spawn_seed" } }]);
    expect(JSON.stringify(thread?.entries)).toContain("part A");
    expect(fold.stored.children).toMatchObject([{ threadId: thread?.threadId, kind: "spawned" }]);
  });

  it("answers every other call of the turn elsewhere for the child, waits and refused ones too (R5)", () => {
    const fold = turn(asking(), calls("build"), spawns(), refused("no"), callsInline("add"));
    expect(
      born(fold)[0]?.entries.map(({ position, entry }) => [position, entry.kind === "result" && entry.origin]),
    ).toEqual([
      [2, "elsewhere"],
      [3, "spawn_seed"],
      [4, "elsewhere"],
      [5, "elsewhere"],
    ]);
  });

  it("opens as many as it asks for, with ids of their own", () => {
    const fold = turn(asking(), spawns("A"), spawns("B"));
    expect(new Set(born(fold).map(({ threadId }) => threadId)).size).toBe(2);
    turn(fold, spawns("C"));
    expect(new Set(born(fold).map(({ threadId }) => threadId)).size).toBe(3);
  });

  it.each([[["someone"]], [[]], [["t1", "t1"]]])("is refused for another stack than its own: %j", (stack) => {
    const fold = turn(asking(), spawns("A", stack));
    expect(told(fold).at(-1)).toBe("result spawn:validation");
    expect(born(fold)).toEqual([]);
    expect(textsOf(fold)).toContain('[\\"t1\\"]');
  });

  it("is refused beyond the number of open children, and beyond the depth", () => {
    const fold = turn(asking({ children: 1 }), spawns("A"), spawns("B"));
    expect(told(fold).slice(-2)).toEqual(["result spawn:spawned", "result spawn:validation"]);
    const deep = spawned({ stack: ["a", "b", "c", "d", "e"] as ThreadId[] });
    expect(told(turn(deep, spawns("x", ["a", "b", "c", "d", "e", "t1"])))).toContain("result spawn:validation");
  });

  it("does nothing when the turn was truncated, cut or failed (R7)", () => {
    for (const outcome of ["truncated", "failed"] as const)
      expect(born(settle(asking().answered({ outcome, blocks: [spawns()] })))).toEqual([]);
    const cut = asking().accept(text("stop"));
    expect(born(settle(cut.answered({ outcome: "cut", blocks: [spawns()] })))).toEqual([]);
  });

  it("lets a wait of the same turn rest, for the child works by itself", () => {
    expect(turn(asking(), spawns(), waits()).state).toBe("idlePassive");
  });

  it("does not start a wait beside a refused one, so that the model reads its error", () => {
    const fold = turn(asking(), spawns("A", []), waits());
    expect(told(fold).at(-1)).toBe("result sleep:not_executed");
    expect(fold.state).toBe("running.completing.open");
  });
});

describe("a spawned thread", () => {
  it("begins by itself, with a round that has no inputs of its own", () => {
    const fold = spawned();
    expect(fold.state).toBe("running.completing.open");
    expect(fold.context.slice.causes).toEqual([]);
  });

  it("reports to its parent with the commit of the turn, and goes on (R7)", () => {
    const fold = turn(spawned(), acts({ do: "report", text: "half" }));
    expect(told(fold).at(-1)).toBe("result report:ack");
    expect(sent(fold)).toMatchObject([{ threadId: "t0", input: { kind: "report", child: "t1", text: "half" } }]);
    expect(fold.state).toBe("running.completing.open");
  });

  it("says its parent that it failed for good, and nothing of what is tried again", () => {
    const fold = settle(spawned().answered({ outcome: "failed", failure: { code: "MODEL_FAILED", message: "No." } }));
    expect(sent(fold)).toMatchObject([{ threadId: "t0", input: { kind: "report", failed: true } }]);
    const later = spawned().answered({
      outcome: "postponed",
      retry: { due: 9e5, attempt: 2 },
      failure: { code: "MODEL_UNAVAILABLE", message: "Busy." },
    });
    expect(sent(settle(later))).toEqual([]);
  });

  it("reads a message of its parent as an event of the call that spawned it, and no other thread's", () => {
    const fold = turn(spawned(), says("waiting"));
    settle(fold.accept({ kind: "message", parent: "t0" as ThreadId, text: "hurry" }));
    turn(fold, says("ok"));
    expect(told(fold).slice(-2)).toEqual(["event spawn_thread:hurry", "turn:ok"]);
    fold.accept({ kind: "message", parent: "t7" as ThreadId, text: "psst" });
    expect(fold.recorded.at(-1)?.facts).toMatchObject([{ reason: "unknown-source" }]);
  });

  it("defers a message while an active call is outstanding (R4)", () => {
    const fold = turn(spawned(), calls("build"));
    fold.accept({ kind: "message", parent: "t0" as ThreadId, text: "hurry" });
    expect(fold.state).toBe("awaitingActiveCall");
    expect(fold.announced).toHaveLength(1);
  });
});

describe("a root", () => {
  it.each([
    ["reports", acts({ do: "report", text: "x" })],
    ["closes itself", closes("t1")],
    ["closes another thread", closes("t9")],
    ["tells somebody who is no child of it", acts({ do: "message", to: "t9", text: "x" })],
    ["cancels what it has not subscribed to", acts({ do: "cancel", call: "t9#1.0" })],
  ])("is refused when it %s, and reads why", (_, block) => {
    const fold = turn(asking(), block);
    expect(told(fold).at(-1)).toMatch(/:validation$/);
    expect(textsOf(fold)).toContain("Error:");
    expect(fold.state).toBe("running.completing.open");
    expect(sent(fold)).toEqual([]);
  });

  it("tells its child something with the commit of the turn (R7)", () => {
    const fold = turn(asking(), spawns());
    const to = born(fold)[0]?.threadId as ThreadId;
    turn(fold, acts({ do: "message", to, text: "hurry" }));
    expect(told(fold).at(-1)).toBe("result message:ack");
    expect(sent(fold)).toMatchObject([{ threadId: to, input: { kind: "message", parent: "t1", text: "hurry" } }]);
  });

  it("hears a report as an event of the spawning call, deferred while a call is out (R4)", () => {
    const fold = turn(asking(), spawns());
    const from = born(fold)[0]?.threadId as ThreadId;
    turn(fold, calls("build"));
    fold.accept({ kind: "report", child: from, text: "found" });
    expect(fold.state).toBe("awaitingActiveCall");
    settle(fold.accept({ kind: "result", callId: fold.call("build"), content: [{ type: "text", text: "ok" }] }));
    turn(fold, says("fine"));
    expect(told(fold).slice(-3)).toEqual(["result build:tool", "event spawn:found", "turn:fine"]);
  });

  it("hears the end of a child once, and knows it no more (R2)", () => {
    const fold = turn(asking(), spawns());
    const from = born(fold)[0]?.threadId as ThreadId;
    turn(fold, says("waiting"));
    settle(fold.accept({ kind: "report", child: from, text: "half" }, { kind: "ended", child: from, report: "done" }));
    expect(fold.stored.children).toHaveLength(1);
    turn(fold, says("thanks"));
    expect(told(fold).slice(-3, -1)).toEqual([
      "event spawn:half",
      expect.stringMatching(/^event spawn:.*has closed.*done/s),
    ]);
    expect(fold.stored.children).toEqual([]);
    fold.accept({ kind: "ended", child: from, report: null });
    expect(fold.recorded.at(-1)?.facts).toMatchObject([{ reason: "unknown-source" }]);
  });

  it("is heard of by no thread that is not its child", () => {
    const fold = turn(asking(), says("ok"));
    fold.accept({ kind: "report", child, text: "x" });
    expect(fold.recorded.at(-1)?.facts).toMatchObject([{ type: "input.discarded", reason: "unknown-source" }]);
    expect(fold.state).toBe("idle");
  });

  it("does not let reports keep it going for ever: they leave the count of rounds as it is", () => {
    const fold = turn(asking({ rounds: 2 }), spawns());
    const from = born(fold)[0]?.threadId as ThreadId;
    turn(fold, says("one"));
    settle(fold.accept({ kind: "report", child: from, text: "more" }));
    expect(fold.state).toBe("idle");
    expect(fold.stored.record.lastFailure?.code).toBe("ROUND_LIMIT");
    expect(told(fold).at(-1)).toBe("event spawn:more");
  });
});
