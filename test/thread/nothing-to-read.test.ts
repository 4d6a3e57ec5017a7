import { describe, expect, it } from "vitest";
import { acts, says, settle, turn } from "../support/thread/blocks.ts";
import { discards, event, subscribed, text } from "../support/thread/family.ts";

describe("what lost its source while it waited", () => {
  it("is discarded without a round: the last event of a subscription that the turn cancelled", () => {
    const fold = settle(subscribed().accept(text("stop that")));
    const callId = fold.context.subscriptions[0]?.callId ?? "";
    fold.accept(event(fold, "the end", { associative: true, final: true }));
    turn(fold, acts({ do: "cancel", call: callId }));
    turn(fold, says("done"));
    expect(fold.state).toBe("idle");
    expect(discards(fold)).toEqual(["unknown-source"]);
  });
});

describe("a thread that is halted", () => {
  it("ends a subscription whose last event comes, and its record says how it rests", () => {
    const fold = settle(subscribed().accept({ kind: "halt" }));
    expect(fold.stored.record.state).toBe("subscribed");
    settle(fold.accept(event(fold, "the end", { final: true })));
    expect(discards(fold)).toEqual(["halted"]);
    expect(fold.stored).toMatchObject({ subscriptions: [], inbox: [], record: { state: "idle", halted: true } });
  });

  it("asks nothing for it", () => {
    const fold = settle(subscribed().accept({ kind: "halt" }));
    settle(fold.accept(event(fold, "the end", { final: true, associative: true })));
    expect(fold.state).toBe("idle");
  });
});
