import { describe, expect, it } from "vitest";
import { calls, callsInline, says, settle, told, turn } from "../support/thread/blocks.ts";
import { Fold, type GivenInput } from "../support/thread/fold.ts";

const text = (words: string): GivenInput => ({ kind: "text", text: words });
const asking = (): Fold => settle(new Fold().accept(text("go")));

describe("a thread that is left after the round that goes on", () => {
  it("brings that round to its end, and hands over its calls (R7)", () => {
    const fold = settle(
      asking()
        .leaving()
        .answered({ blocks: [calls("build")] }),
    );
    expect([fold.state, fold.cuts]).toEqual(["awaitingActiveCall", []]);
    expect(fold.stored.calls.map(({ status }) => status)).toEqual(["started"]);
  });

  it("rests as ever when nothing is left to do", () => {
    expect(
      settle(
        asking()
          .leaving()
          .answered({ blocks: [says("done")] }),
      ).state,
    ).toBe("idle");
  });

  it("runs inline calls, and leaves the round that reads them to whoever comes next", () => {
    const fold = settle(
      asking()
        .leaving()
        .answered({ blocks: [callsInline("look")] }),
    );
    expect(fold.state).toBe("stopped");
    expect(told(fold)).toHaveLength(3);
    expect(settle(fold.restarted()).state).toBe("running.completing.open");
  });

  it("interrupts nothing with a text that it does not get to: the calls are told to stop by whoever comes next", () => {
    const fold = turn(asking(), calls("build")).leaving().accept(text("stop that"));
    expect([fold.state, fold.aborted]).toEqual(["stopped", []]);
    const next = settle(fold.reloaded());
    expect([next.state, next.aborted.length]).toEqual(["running.completing.open", 1]);
  });

  it("begins no round whose configuration is there too late; its inputs wait (R1)", () => {
    const fold = new Fold().accept(text("go"));
    expect(fold.state).toBe("running.preparing");
    expect(fold.leaving().prepared().state).toBe("stopped");
    expect(fold.stored.inbox).toHaveLength(1);
    expect(settle(fold.restarted()).state).toBe("running.completing.open");
  });

  it("takes what needs no model: a close ends it", () => {
    const fold = settle(turn(asking(), says("done")).leaving().accept({ kind: "close" }));
    expect(fold.state).toBe("closed");
  });
});
