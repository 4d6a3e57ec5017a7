import fc from "fast-check";
import { lastValueFrom, Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { inBatches } from "../../src/queue/in-batches.ts";

const microtasks = async (count: number) => {
  for (let index = 0; index < count; index++) await undefined;
};

describe("batches", () => {
  it("whenever values arrive, and however long each batch takes: every value once, in order, one batch at a time, none stuck", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ size: fc.integer({ min: 0, max: 5 }), pause: fc.nat(6) }), { maxLength: 20 }),
        fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
        async (values, paces) => {
          const arrivals = new Subject<{ size: number; index: number }>();
          const batches: { size: number; index: number }[][] = [];
          let atWork = 0;
          const work = async (batch: readonly { size: number; index: number }[]) => {
            expect(++atWork).toBe(1);
            batches.push([...batch]);
            await microtasks(paces[batches.length % paces.length] ?? 0);
            atWork--;
          };
          const ended = lastValueFrom(arrivals.pipe(inBatches({ limit: 6, sizeOf: ({ size }) => size }, work)), {
            defaultValue: undefined,
          });
          for (const [index, { size, pause }] of values.entries()) {
            arrivals.next({ size, index });
            await microtasks(pause);
          }
          // Nothing waits for a later arrival: all is worked on before the source is completed.
          await new Promise<void>((resolve) => setImmediate(resolve));
          expect(batches.flat().map(({ index }) => index)).toEqual(values.map((_, index) => index));
          arrivals.complete();
          await ended;
          for (const batch of batches) {
            expect(batch.length).toBeGreaterThan(0);
            const size = batch.reduce((sum, value) => sum + value.size, 0);
            if (batch.length > 1) expect(size).toBeLessThanOrEqual(6);
          }
        },
      ),
    ));

  it("works on what waits when the source completes", async () => {
    const arrivals = new Subject<number>();
    const seen: number[] = [];
    const ended = lastValueFrom(
      arrivals.pipe(inBatches({ limit: 1, sizeOf: () => 1 }, async (batch) => void seen.push(...batch))),
    );
    for (const value of [1, 2, 3]) arrivals.next(value);
    arrivals.complete();
    await ended;
    expect(seen).toEqual([1, 2, 3]);
  });
});
