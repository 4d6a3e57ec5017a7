import { describe, expect, it } from "vitest";
import { calls, callsInline, says, settle, told, turn, waits } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const asking = (): Fold => settle(new Fold().accept(text("go")));
const cut = { outcome: "cut" as const, usage: null };

describe("a thread whose system stops", () => {
  it("is left as it is when it rests", () => {
    const fold = turn(asking(), calls("build"), waits("sleep"));
    const before = fold.commits.length;
    expect(fold.stopping().state).toBe("stopped");
    expect(fold.commits).toHaveLength(before);
    expect(fold.restarted().stored.calls).toHaveLength(2);
  });

  it("cuts its round, keeps what is visible, and rests with it after the restart", () => {
    const fold = asking().stopping();
    expect(fold.cuts).toEqual(["round"]);
    expect(settle(fold.answered({ ...cut, blocks: [says("Hel")] })).state).toBe("stopped");
    const next = settle(fold.restarted());
    expect(next.state).toBe("idle");
    expect(told(next)).toEqual(["user:go", "turn:Hel"]);
  });

  it("settles complete calls of the round that is cut, and says why none was made (R7)", () => {
    const fold = settle(
      asking()
        .stopping()
        .answered({ ...cut, blocks: [calls("build")] }),
    );
    expect(told(fold)).toEqual(["user:go", "turn:call build", "result build:interrupted"]);
    expect(JSON.stringify(fold.stored.history)).toContain("the program was stopped before the turn ended");
  });

  it("asks again after the restart when the model had said nothing yet (R1)", () => {
    const fold = asking()
      .stopping()
      .answered({ ...cut, blocks: [] });
    expect(fold.state).toBe("stopped");
    expect(fold.stored.inbox).toHaveLength(1);
    expect(settle(fold.restarted()).state).toBe("running.completing.open");
  });

  it("does as the user says when the user cut the round too", () => {
    const fold = asking().stopping().accept(text("stop"));
    settle(fold.answered({ ...cut, blocks: [] }));
    const next = settle(fold.restarted());
    expect(next.stored.history.map(({ entry }) => entry.kind)).toEqual(["user"]);
    expect(next.state).toBe("running.completing.open");
  });

  it("begins no slice with what arrives meanwhile; it waits for the restart (R1)", () => {
    const fold = asking()
      .answered({ blocks: [says("done")] })
      .stopping();
    fold.accept({ kind: "text", text: "more", whileBusy: "wait" });
    expect(settle(fold).state).toBe("stopped");
    expect(fold.stored.inbox).toHaveLength(1);
    expect(settle(fold.restarted()).state).toBe("running.completing.open");
  });

  it("hands over no call of a commit under way; the restart does (R7)", () => {
    const fold = asking()
      .answered({ blocks: [calls("build"), callsInline("add")] })
      .stopping();
    settle(fold);
    expect(fold.state).toBe("stopped");
    expect(fold.stored.calls.map(({ status }) => status)).toEqual(["committed", "committed"]);
    expect(settle(fold.restarted()).state).toBe("awaitingActiveCall");
  });

  it("has handed over what was on its way, and runs nothing inline any more", () => {
    const fold = asking()
      .answered({ blocks: [calls("build"), callsInline("add")] })
      .committed()
      .stopping();
    expect(fold.dispatched().state).toBe("stopped");
    expect(fold.stored.calls.find(({ name }) => name === "build")?.status).toBe("started");
  });

  it("tells inline calls to stop, keeps their results, and the model reads them after the restart", () => {
    const fold = asking()
      .answered({ blocks: [callsInline("add")] })
      .committed()
      .stopping();
    expect(fold.cuts).toEqual(["inline"]);
    expect(settle(fold).state).toBe("stopped");
    expect(told(fold).at(-1)).toBe("result add:sync");
    expect(settle(fold.restarted()).state).toBe("running.completing.open");
  });

  it("has not begun a slice that is still being loaded", () => {
    const fold = new Fold().accept(text("go")).stopping();
    expect(fold.state).toBe("stopped");
    expect(fold.stored.inbox).toHaveLength(1);
  });
});
