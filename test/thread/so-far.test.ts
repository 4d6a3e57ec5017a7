import { describe, expect, it } from "vitest";
import { followedBy, type RoundSoFar } from "../../src/thread/so-far.ts";
import type { Announcement } from "../../src/thread/update.ts";

const roundAfter = (...updates: Announcement[]): RoundSoFar | null =>
  updates.reduce<RoundSoFar | null>((round, update) => followedBy(round, update), null);
const started: Announcement = { type: "round.started", inputs: [] };
const text = (words: string): Announcement => ({ type: "text.delta", text: words });
const thinking = (words: string): Announcement => ({ type: "thinking.delta", text: words });

describe("an open round so far", () => {
  it("has what it has said, in one text", () => expect(roundAfter(started, text("a"), text("b"))?.text).toBe("ab"));

  it("has what it thinks while it thinks, and nothing of that afterwards", () => {
    const thinks = [started, { type: "thinking.started" }, thinking("deep "), thinking("thought")] as const;
    expect(roundAfter(...thinks)?.thinking).toBe("deep thought");
    expect(roundAfter(...thinks, { type: "thinking.ended" })?.thinking).toBeNull();
  });

  it("has shown nothing when a try has failed", () => {
    const failed: Announcement = { type: "round.retried", attempt: 1, wait: 5, message: "no" };
    expect(roundAfter(started, text("a"), thinking("b"), failed)).toEqual({ inputs: [], text: "", thinking: null });
  });

  it("is not made by what comes outside of a round", () => expect(roundAfter(text("a"))).toBeNull());
});
