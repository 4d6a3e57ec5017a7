import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Step, story, Told } from "../support/thread/story.ts";

describe("the ledger of a thread", () => {
  it("holds nothing of the history once the thread rests, whatever happened", () =>
    fc.assert(
      fc.property(story, (steps: readonly Step[]) => {
        new Told(({ fold: { state, context } }) => {
          if (state.startsWith("running")) return;
          expect(context.commit).toBeNull();
          expect(context.slice.entries).toEqual([]);
          expect(context.slice.facts).toEqual([]);
        }).tell(steps);
      }),
      { numRuns: 200 },
    ));
});
