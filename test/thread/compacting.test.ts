import { describe, expect, it } from "vitest";
import type { RoundOutput } from "../../machines/round/turn.ts";
import { calls, callsInline, says, settle, spawns, turn } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const used = (tokens: number): Partial<RoundOutput> => ({ usage: { inputTokens: tokens, outputTokens: 0 } });
/** A thread whose model takes a hundred tokens, asked for the first time. */
const asking = (): Fold => {
  const fold = new Fold();
  fold.window = 100;
  return settle(fold.accept(text("go")));
};
const full = (): Fold => settle(asking().answered({ blocks: [says("ok")], ...used(76) }));
const summary = (fold: Fold, words = "SUM"): Fold => settle(fold.preparedSummary().answered({ blocks: [says(words)] }));
const outcomes = (fold: Fold) =>
  fold.commits.flatMap(({ facts }) =>
    facts.flatMap((fact) => (fact.type === "history.compacted" ? [fact.outcome] : [])),
  );
const kept = (fold: Fold) => fold.commits.flatMap(({ summary: each }) => each ?? []);

describe("a conversation that takes more than three quarters of its model's window", () => {
  it("is summarised once the turn is committed, and rests then", () => {
    const fold = full();
    expect(fold.state).toBe("running.compacting.preparing");
    expect(summary(fold).state).toBe("idle");
    expect(kept(fold)).toEqual([{ upTo: 2, text: "SUM" }]);
    expect(fold.stored.record).toMatchObject({ summary: 2, context: null });
    expect(outcomes(fold)).toEqual(["done"]);
  });

  it("is not at three quarters, nor where nobody knows the window", () => {
    expect(settle(asking().answered({ blocks: [says("ok")], ...used(75) })).state).toBe("idle");
    const unknown = settle(new Fold().accept(text("go")));
    expect(settle(unknown.answered({ blocks: [says("ok")], ...used(1e9) })).state).toBe("idle");
  });

  it("is summarised after its calls are handed over, up to the turn that made them (R5)", () => {
    const fold = asking()
      .answered({ blocks: [calls("build")], ...used(90) })
      .committed();
    expect(fold.state).toBe("running.dispatching");
    settle(fold);
    expect(fold.state).toBe("running.compacting.preparing");
    expect(summary(fold).state).toBe("awaitingActiveCall");
    expect(kept(fold)).toEqual([{ upTo: 1, text: "SUM" }]);
    // The result of the call still finds it.
    settle(fold.accept({ kind: "result", callId: fold.call("build"), content: [{ type: "text", text: "done" }] }));
    expect(fold.state).toBe("running.completing.open");
  });

  it("is summarised before the next round of a slice that goes on, results included", () => {
    const fold = settle(asking().answered({ blocks: [callsInline("add")], ...used(90) }));
    expect(fold.state).toBe("running.compacting.preparing");
    settle(fold.preparedSummary().answered({ blocks: [says("SUM")] }));
    expect(kept(fold)).toEqual([{ upTo: 3, text: "SUM" }]);
    expect(fold.state).toBe("running.completing.open");
  });

  it("is summarised by the next process when this one ends in between", () => {
    const again = full().restarted();
    expect(again.state).toBe("running.compacting.preparing");
    expect(summary(again).stored.record.summary).toBe(2);
  });

  it("is left alone while a text waits, and again afterwards", () => {
    const fold = full().preparedSummary().accept(text("wait, one more thing"));
    expect(fold.cuts).toEqual(["round"]);
    settle(fold.answered({ outcome: "cut", blocks: [], usage: null }));
    expect(outcomes(fold)).toEqual(["given up"]);
    expect(fold.state).toBe("running.completing.open");
    expect(kept(fold)).toEqual([]);
    settle(fold.answered({ blocks: [says("ok")], ...used(90) }));
    expect(fold.state).toBe("running.compacting.preparing");
  });

  it("is given up also before the request is out", () => {
    const fold = settle(full().accept(text("wait")));
    expect(outcomes(fold)).toEqual(["given up"]);
    expect(fold.state).toBe("running.completing.open");
  });

  it.each([
    ["nothing", { blocks: [] }],
    ["blank text", { blocks: [says("  \n")] }],
    ["a call", { blocks: [says("SUM"), calls("build")] }],
    ["more than it stands for", { blocks: [says("x".repeat(2_000))] }],
    ["a failure", { outcome: "failed" as const, failure: { code: "MODEL_FAILED" as const, message: "no" } }],
    ["a turn that was cut off", { outcome: "truncated" as const, blocks: [says("SU")] }],
  ])("keeps everything as it is when the summary is %s, and says so", (_, output) => {
    const fold = settle(full().preparedSummary().answered(output));
    expect(fold.state).toBe("idle");
    expect(kept(fold)).toEqual([]);
    expect(outcomes(fold)).toEqual(["failed"]);
    expect(fold.stored.record.summary).toBeNull();
    // Tried again only after the conversation has grown by a twentieth.
    settle(fold.accept(text("on")).answered({ blocks: [says("ok")], ...used(77) }));
    expect(fold.state).toBe("idle");
    settle(settle(fold.accept(text("on"))).answered({ blocks: [says("ok")], ...used(80) }));
    expect(fold.state).toBe("running.compacting.preparing");
  });

  it("is summarised again from the summary before, with what came since", () => {
    const fold = summary(full(), "first");
    settle(settle(fold.accept(text("more"))).answered({ blocks: [says("ok")], ...used(90) }));
    summary(fold, "second");
    expect(kept(fold)).toEqual([
      { upTo: 2, text: "first" },
      { upTo: 4, text: "second" },
    ]);
  });
});

describe("a summary by hand", () => {
  const compact: GivenInput = { kind: "compact" };

  it("is made whatever the size, and acted on", () => {
    const fold = turn(asking(), says("ok"));
    settle(fold.accept(compact));
    expect(fold.state).toBe("running.compacting.preparing");
    summary(fold);
    expect(outcomes(fold)).toEqual(["done"]);
    expect(fold.stored.inbox).toEqual([]);
  });

  it("comes to nothing where nothing is new, and where nothing is there", () => {
    const fold = summary(full());
    settle(fold.accept(compact));
    expect(outcomes(fold)).toEqual(["done", "nothing"]);
    const fresh = settle(new Fold().accept(compact));
    expect(outcomes(fresh)).toEqual(["nothing"]);
    expect(fresh.state).toBe("idle");
  });

  it("waits for the round that is under way, and interrupts nothing", () => {
    const fold = asking().accept(compact);
    expect(fold.state).toBe("running.completing.open");
    expect(fold.cuts).toEqual([]);
    settle(fold.answered({ blocks: [says("ok")] }));
    expect(fold.state).toBe("running.compacting.preparing");
  });
});

describe("a child", () => {
  it("begins with the summary that is in force above it, and a later one changes nothing for it", () => {
    const fold = summary(full());
    settle(fold.accept(text("split")));
    const before = fold.commits.length;
    turn(fold, spawns());
    const [opened] = fold.commits.slice(before).flatMap(({ children }) => children.opened);
    expect(opened?.opening.summary).toEqual({ of: "t1", upTo: 2 });
  });
});

describe("a request that is refused for its length", () => {
  const refused: Partial<RoundOutput> = {
    outcome: "failed",
    blocks: [],
    usage: null,
    failure: { code: "CONTEXT_TOO_LONG", message: "too long" },
  };
  const long = (): Fold => settle(turn(asking(), says("ok")).accept(text("more")));

  it("has the beginning summarised, and is made once more with what it was about", () => {
    const fold = settle(long().answered(refused));
    expect(fold.state).toBe("running.compacting.preparing");
    summary(fold);
    expect(kept(fold)).toEqual([{ upTo: 2, text: "SUM" }]);
    expect(fold.state).toBe("running.completing.open");
    expect(settle(fold.answered({ blocks: [says("here")] })).state).toBe("idle");
    expect(fold.stored.record).toMatchObject({ lastFailure: null, tooLong: null });
  });

  it("rests with a failure when it is refused again", () => {
    const fold = settle(summary(settle(long().answered(refused))).answered(refused));
    expect(fold.state).toBe("idle");
    expect(fold.stored.record).toMatchObject({ tooLong: null, lastFailure: { code: "CONTEXT_TOO_LONG" } });
  });

  it("rests with a failure when it cannot be summarised, and when there is nothing before it", () => {
    const fold = settle(long().answered(refused));
    settle(fold.preparedSummary().answered({ blocks: [] }));
    expect(fold.state).toBe("idle");
    expect(fold.stored.record).toMatchObject({ roundDue: false, lastFailure: { code: "CONTEXT_TOO_LONG" } });
    const first = settle(asking().answered(refused));
    expect(first.state).toBe("idle");
    expect(kept(first)).toEqual([]);
  });

  it("is asked again by the next process when this one ends in between", () => {
    const again = settle(long().answered(refused)).restarted();
    expect(summary(again).state).toBe("running.completing.open");
  });

  it("summarises before the turn whose results were to be read", () => {
    const fold = settle(turn(asking(), says("ok")).accept(text("more")));
    settle(fold.answered({ blocks: [callsInline("add")] }));
    settle(fold.answered(refused));
    summary(fold);
    expect(kept(fold)).toEqual([{ upTo: 3, text: "SUM" }]);
    expect(fold.state).toBe("running.completing.open");
  });
});
