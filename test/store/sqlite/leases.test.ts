import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { SharedStore } from "../../../src/store/store.ts";
import { alpha, callOf, commitOf, deliver, roomy, spec, statusesOf } from "../../../src/testing/store/material.ts";
import { emptyStore, quick } from "./files.ts";

const open: SharedStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

const opened = (file: string): SharedStore => {
  const store = sqliteStore(file, quick);
  open.push(store);
  return store;
};

/** Two connections to one file, as two processes have them. */
const two = async () => {
  const file = await emptyStore();
  return { one: opened(file), other: opened(file) };
};

describe("a lease", () => {
  it("is held by one at a time, and who asks in vain is told by whom and until when (R8)", async () => {
    const { one, other } = await two();
    expect(await one.lease("runner", "a", 100, 1_000)).toEqual({ held: true, until: 1_100 });
    expect(await other.lease("runner", "b", 100, 1_050)).toEqual({ held: false, by: "a", until: 1_100 });
    expect(await other.lease("another", "b", 100, 1_050)).toEqual({ held: true, until: 1_150 });
  });

  it("is renewed by its holder, and anybody's once it ran out", async () => {
    const { one, other } = await two();
    await one.lease("runner", "a", 100, 1_000);
    expect(await one.lease("runner", "a", 100, 1_090)).toEqual({ held: true, until: 1_190 });
    expect(await other.lease("runner", "b", 100, 1_189)).toMatchObject({ held: false });
    expect(await other.lease("runner", "b", 100, 1_190)).toEqual({ held: true, until: 1_290, isAbandoned: true });
    expect(await one.lease("runner", "a", 100, 1_200)).toEqual({ held: false, by: "b", until: 1_290 });
  });

  it("is given back by its holder alone", async () => {
    const { one, other } = await two();
    await one.lease("runner", "a", 100, 1_000);
    await other.release("runner", "b");
    expect(await other.lease("runner", "b", 100, 1_001)).toMatchObject({ held: false });
    await one.release("runner", "a");
    await one.release("runner", "a");
    expect(await other.lease("runner", "b", 100, 1_002)).toMatchObject({ held: true });
  });

  it("ends within its own length when the clock is set back an hour or a year (R9)", async () => {
    const year = 365 * 86_400_000;
    const { one, other } = await two();
    await one.lease("runner", "a", 100, year);
    expect(await other.lease("runner", "b", 100, 5_000)).toEqual({ held: false, by: "a", until: 5_100 });
    expect(await other.lease("runner", "b", 100, 5_099)).toEqual({ held: false, by: "a", until: 5_100 });
    expect(await other.lease("runner", "b", 100, 5_100)).toEqual({ held: true, until: 5_200, isAbandoned: true });
  });

  it("tells who holds it to whoever looks, and changes nothing by that", async () => {
    const { one, other } = await two();
    expect(await other.holder("runner", 1_000)).toBeUndefined();
    await one.lease("runner", "a", 100, 1_000);
    expect(await other.holder("another", 1_050)).toBeUndefined();
    expect(await other.holder("runner", 1_099)).toEqual({ by: "a", until: 1_100 });
    expect(await other.holder("runner", 1_100)).toBeUndefined();
    // The clock was set back: the end that is told is the one a runner would be told.
    expect(await other.holder("runner", 500)).toEqual({ by: "a", until: 600 });
    expect(await other.holder("runner", 1_050)).toEqual({ by: "a", until: 1_100 });
    await one.release("runner", "a");
    expect(await other.holder("runner", 1_050)).toBeUndefined();
  });

  it("that another took keeps who had it from committing and handing over, also when it does not know yet (R7, R8)", async () => {
    const { one, other } = await two();
    const call = callOf(alpha, 0);
    await one.create(alpha, spec, 1);
    await one.lease("runner", "a", 100, 1_000);
    await one.commit(commitOf(alpha, 0, { calls: { made: [call], settled: [] } }), 1_000);
    await other.lease("runner", "b", 100, 1_100);
    const isRefused = async () => {
      expect(await one.commit(commitOf(alpha, 1), 1_200)).toEqual({ status: "stale", version: 1 });
      await expect(one.mark(alpha, [call.callId], "started")).rejects.toThrow(/the lease runner is held by/);
      expect(await other.load(alpha)).toMatchObject({ version: 1, calls: [{ status: "committed" }] });
    };
    await isRefused();
    expect(statusesOf(await one.accept([deliver(alpha, "a")], roomy)), "anybody may send").toEqual(["accepted"]);
    await other.release("runner", "b");
    await isRefused();
    expect(await one.lease("runner", "a", 100, 1_300), "what it has in memory is out of date").toMatchObject({
      held: false,
      by: "another, who is gone again",
    });
    await isRefused();
    await one.release("runner", "a");
    expect(await one.lease("runner", "a", 100, 1_300)).toMatchObject({ held: true });
    expect(await one.commit(commitOf(alpha, 1), 1_300)).toMatchObject({ status: "committed" });
    await one.mark(alpha, [call.callId], "started");
    expect(await other.load(alpha)).toMatchObject({ version: 2, calls: [{ status: "started" }] });
  });

  it("that was given back keeps nobody from anything", async () => {
    const { one, other } = await two();
    await one.create(alpha, spec, 1);
    await one.lease("runner", "a", 100, 1_000);
    await one.release("runner", "a");
    await other.lease("runner", "b", 100, 1_000);
    expect(await one.commit(commitOf(alpha, 0), 1_000)).toMatchObject({ status: "committed" });
  });

  it("whoever asks whenever: no two hold it at one instant", async () => {
    const ask = fc.record({
      holder: fc.constantFrom("a", "b", "c"),
      after: fc.nat(60),
      ttl: fc.integer({ min: 1, max: 80 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { maxLength: 12 }), async (asks) => {
        const store = opened(":memory:");
        let now = 0;
        let holding: { holder: string; until: number } | undefined;
        for (const { holder, after, ttl } of asks) {
          now += after;
          const outcome = await store.lease("runner", holder, ttl, now);
          const free = !holding || holding.until <= now || holding.holder === holder;
          expect(outcome.held).toBe(free);
          if (outcome.held) holding = { holder, until: outcome.until };
          else expect(outcome).toEqual({ held: false, by: holding?.holder, until: holding?.until });
        }
      }),
    );
  });
});
