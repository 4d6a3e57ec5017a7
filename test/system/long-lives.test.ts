import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LongLife, longStory } from "../support/system/long-life.ts";

describe("a long life, whatever is summarised when, in parents and in children", () => {
  it("keeps R5, loses nothing and shows nothing twice, and matches every later result and event (R1, R2, R5)", async () => {
    let summaries = 0;
    await fc.assert(
      fc.asyncProperty(longStory, async (story) => {
        const life = await new LongLife(story).live();
        summaries += life.summaries;
        expect([...new Set(life.faults)].slice(0, 5).join("\n")).toBe("");
      }),
      { numRuns: 60 },
    );
    expect(summaries).toBeGreaterThan(0);
  }, 120_000);
});
