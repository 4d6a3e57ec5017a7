import { describe, expect, it } from "vitest";
import { says, settle, told, turn } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const due = 500_000;
const retry: GivenInput = { kind: "retry", due };
const putOff = {
  outcome: "postponed" as const,
  retry: { due, attempt: 2 },
  failure: { code: "MODEL_UNAVAILABLE" as const, message: "Busy." },
};

/** A thread whose request was postponed until `due`. */
const postponed = (): Fold => settle(settle(new Fold().accept(text("go"))).answered(putOff));

/** What the round that is open was created with. */
const attemptOf = ({ context }: Fold): number => context.slice.attempt;

describe("a request that is postponed", () => {
  it("leaves the thread at rest, with its inputs in the history, a timer and the failure in sight (R1, R9)", () => {
    const fold = postponed();
    expect(fold.state).toBe("idle");
    expect(told(fold)).toEqual(["user:go"]);
    expect(fold.commits.at(-1)?.timers).toEqual([{ callId: null, purpose: "retry", due }]);
    expect(fold.stored.record).toMatchObject({
      retry: { due, attempt: 2 },
      lastFailure: { code: "MODEL_UNAVAILABLE" },
      rounds: 0,
    });
  });

  it("is made again when it is due, and its tries are counted on", () => {
    const fold = settle(postponed().accept(retry));
    expect(fold.state).toBe("running.completing.open");
    expect(attemptOf(fold)).toBe(2);
    turn(fold, says("there"));
    expect(told(fold)).toEqual(["user:go", "turn:there"]);
    expect(fold.stored).toMatchObject({ inbox: [], record: { retry: null, lastFailure: null } });
  });

  it("is made again after a restart, also when it became due meanwhile", () => {
    const fold = postponed();
    fold.stored.inbox.push({ seq: 9_000, dedupId: "r", input: { kind: "retry", due }, at: due });
    const again = settle(fold.restarted());
    expect(again.state).toBe("running.completing.open");
    expect(attemptOf(again)).toBe(2);
  });

  it("is made at once when the user writes, as a first try", () => {
    const fold = settle(postponed().accept(text("now?")));
    expect(fold.state).toBe("running.completing.open");
    expect(attemptOf(fold)).toBe(1);
  });

  it("is not made twice: a timer that comes while somebody else's input asks is discarded (R1)", () => {
    const fold = settle(postponed().accept(text("now?"))).accept(retry);
    expect(fold.recorded.at(-1)?.facts).toMatchObject([{ type: "input.discarded", reason: "retry-not-due" }]);
    expect(turn(fold, says("yes")).state).toBe("idle");
  });

  it("asks once for what comes together with its timer", () => {
    const fold = settle(postponed().accept(retry, text("and this")));
    turn(fold, says("both"));
    expect(fold.state).toBe("idle");
    expect(told(fold)).toEqual(["user:go", "user:and this", "turn:both"]);
  });

  it("is given up when a person interrupts, and its timer is then discarded", () => {
    const fold = settle(postponed().accept({ kind: "interrupt" }));
    expect(fold.state).toBe("idle");
    expect(fold.stored.record.retry).toBeNull();
    settle(fold.accept(retry));
    expect(fold.state).toBe("idle");
    expect(fold.stored.inbox).toEqual([]);
  });

  it("is given up also when the interrupt comes together with its timer", () => {
    const fold = settle(postponed().accept(retry, { kind: "interrupt" }));
    expect(fold.state).toBe("idle");
    expect(fold.stored).toMatchObject({ inbox: [], record: { retry: null } });
  });

  it("can be postponed again, and a timer of the time before is discarded", () => {
    const fold = settle(postponed().accept(retry));
    settle(fold.answered({ ...putOff, retry: { due: due + 1, attempt: 3 } }));
    expect(fold.stored.record.retry).toEqual({ due: due + 1, attempt: 3 });
    expect(fold.accept(retry).state).toBe("idle");
    expect(settle(fold.accept({ kind: "retry", due: due + 1 })).state).toBe("running.completing.open");
  });
});
