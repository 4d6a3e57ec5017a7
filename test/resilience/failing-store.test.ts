import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { type Failing, failingStore, failsAt } from "../support/resilience/failing-store.ts";
import { outing } from "../support/resilience/outing.ts";

const kinds: readonly { readonly kind: string; readonly make: () => Store; readonly numRuns: number }[] = [
  { kind: "memory", make: memoryStore, numRuns: 15 },
  { kind: "SQLite", make: () => sqliteStore(":memory:"), numRuns: 4 },
];

const play = async (make: () => Store, failing?: Failing) => {
  const kept = make();
  const { store, calls } = failingStore(kept, failing);
  const outline = await outing(store, kept);
  await kept.close();
  return { outline, calls };
};

describe.each(kinds)("whatever call of a $kind store throws, a story ends as it does without", ({ make, numRuns }) => {
  let whole: Awaited<ReturnType<typeof play>>;
  beforeAll(async () => {
    whole = await play(make);
  });

  it("and meets every method of the contract in it", () => {
    const methods = new Set(whole.calls.map(({ method }) => method));
    const contract = ["create", "accept", "load", "commit", "mark", "timers", "nextTimer", "threads"];
    expect([...methods]).toEqual(expect.arrayContaining(contract));
    expect(methods.has("history") || methods.has("rows")).toBe(true);
    expect(whole.outline).not.toMatch(/waiting [1-9]|running waiting|waiting 0 due/);
  });

  const moment = fc.constantFrom("before" as const, "after" as const);

  it(
    "once, before it did anything or after it had done it all: nothing is lost or there twice (R1, R2, R5, R9)",
    {
      timeout: 120_000,
    },
    () =>
      fc.assert(
        fc.asyncProperty(moment, fc.nat(), async (how, pick) => {
          const failing = failsAt(how, 1 + (pick % whole.calls.length));
          expect((await play(make, failing)).outline).toBe(whole.outline);
        }),
        { numRuns },
      ),
  );

  it("or a child, a timer, a report or a result that it has, and did not say so, would wait for ever (R1, R9)", {
    timeout: 120_000,
  }, async () => {
    // Each commit and each accept of the story: those are what others have to be told of.
    const telling = whole.calls.filter(({ method }) => method === "commit" || method === "accept");
    const each = telling.filter((_, index) => index % Math.ceil(telling.length / (2 * numRuns)) === 0);
    for (const { count } of each)
      expect((await play(make, failsAt("after", count))).outline, `call ${count}`).toBe(whole.outline);
  });

  it("for a while, by turns before and after (R1, R2, R9)", { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 2, max: 12 }), fc.boolean(), async (pick, length, turns) => {
        const from = 1 + (pick % whole.calls.length);
        const failing: Failing = ({ count }) => {
          if (count < from || count >= from + length) return undefined;
          return turns && count % 2 === 0 ? "after" : "before";
        };
        expect((await play(make, failing)).outline).toBe(whole.outline);
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    ),
  );
});
