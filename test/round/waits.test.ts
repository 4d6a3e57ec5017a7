import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPostponed, postponedAfter, triesAgain, waitBefore } from "../../machines/round/retry.ts";
import { limits } from "./fold.ts";

const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempts = fc.integer({ min: 1, max: 10 });
const broke = (more: object) => ({ message: "It broke.", visible: "", model: "m/1", at: 0, jitter: 0, ...more });

describe("the wait before the next try", () => {
  it("doubles from half a second to 32 seconds", () => {
    const waits = Array.from({ length: 10 }, (_, index) => waitBefore(index + 1, broke({ jitter: 1 })));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000, 32_000]);
  });

  it("is spread by the jitter over the second half of its backoff, whatever the try", () =>
    fc.assert(
      fc.property(attempts, jitters, (attempt, jitter) => {
        const longest = waitBefore(attempt, broke({ jitter: 1 }));
        const wait = waitBefore(attempt, broke({ jitter }));
        expect(wait).toBeGreaterThanOrEqual(longest / 2);
        expect(wait).toBeLessThanOrEqual(longest);
      }),
    ));

  it("is never shorter than the provider asks, and just that long from half a second on", () =>
    fc.assert(
      fc.property(attempts, jitters, fc.integer({ min: 0, max: 5_000 }), (attempt, jitter, retryAfter) => {
        const wait = waitBefore(attempt, broke({ jitter, retryAfter }));
        expect(wait).toBeGreaterThanOrEqual(retryAfter);
        if (retryAfter >= 500) expect(wait).toBe(retryAfter);
      }),
    ));

  it("backs off when the provider names no wait worth the name", () =>
    expect(waitBefore(5, broke({ retryAfter: 0 }))).toBe(4_000));

  it("is sat out for every backoff, so that only a provider's own wait can be too long", () =>
    fc.assert(
      fc.property(attempts, jitters, (attempt, jitter) => {
        expect(triesAgain(attempt, broke({ jitter }), limits)).toBe(true);
        expect(triesAgain(limits.tries, broke({ jitter }), limits)).toBe(false);
      }),
    ));

  it("makes the round end in a failure when the tries are used up, however long it is", () => {
    expect(isPostponed(10, broke({ retryAfter: 90_000 }), limits)).toBe(true);
    expect(isPostponed(11, broke({ retryAfter: 90_000 }), limits)).toBe(false);
    expect(isPostponed(1, broke({ retryAfter: 90_000, retryable: false }), limits)).toBe(false);
  });

  it("ends at an instant that a calendar has", () =>
    expect(postponedAfter(1, broke({ retryAfter: 1e300 })).retry.due).toBe(8.64e15));
});
