import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ThreadId } from "../../machines/history/ids.ts";
import { enlist, failed, newRoster, nextOnTrial, putOnTrial, waitAfterFailure } from "../../machines/system/roster.ts";

const limits = { atOnce: 4, suspectsAtOnce: 3, restarts: 3 };
const id = (name: number) => `t${name}` as ThreadId;

describe("threads that may have killed the process", () => {
  it("are tried with the fewest deaths first, each once, and alone before they would be set aside, whatever their counts", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 }), (counts) => {
        const threads = counts.map((restarts, name) => ({ threadId: id(name), restarts }));
        let roster = enlist(newRoster(limits), { threads, last: true });
        expect(roster.waiting).toHaveLength(counts.filter((count) => count === 0).length);
        const tried: number[] = [];
        while (roster.suspects.length > 0) {
          const group = nextOnTrial(roster);
          const deaths = group.map((threadId) => counts[Number(threadId.slice(1))] ?? 0);
          expect(new Set(deaths).size).toBe(1);
          expect(group.length).toBeLessThanOrEqual((deaths[0] ?? 0) >= limits.restarts - 1 ? 1 : limits.suspectsAtOnce);
          tried.push(...deaths);
          roster = putOnTrial(roster, group);
        }
        expect(tried).toEqual(counts.filter((count) => count > 0).sort((a, b) => a - b));
      }),
    );
  });
});

describe("the wait before a thread is loaded anew", () => {
  it("doubles with each failure in a row, up to a minute", () => {
    let roster = newRoster(limits);
    const waits = Array.from({ length: 8 }, () => {
      roster = failed(roster, id(1));
      return waitAfterFailure(roster, id(1));
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });
});
