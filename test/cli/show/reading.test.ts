import { afterEach, describe, expect, it } from "vitest";
import type { PlacedEntry } from "../../../machines/history/entry.ts";
import { faultsOf } from "../../../machines/history/faults.ts";
import { entriesIn, lastEntries, readThread } from "../../../src/cli/show/reading.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { LoadedThread, SharedStore } from "../../../src/store/store.ts";
import { alpha, callOf, commitOf, recordOf, result, spec, turn, user } from "../../../src/testing/store/material.ts";

const open: SharedStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

const one = callOf(alpha, 1, { position: 302 });
const two = callOf(alpha, 2, { position: 303 });

/** 301 texts, and a turn with two calls, of which the first has its result. */
const halfAnswered = async () => {
  const store = sqliteStore(":memory:");
  open.push(store);
  await store.create(alpha, spec, 1);
  await store.commit(
    commitOf(alpha, 0, {
      entries: [...Array.from({ length: 301 }, (_, index) => user(index)), turn(301, [one.callId, two.callId])],
      calls: { made: [one, two], settled: [] },
      timers: [one, two].map(({ callId }) => ({ callId, purpose: "deadline", due: 9_000 }) as const),
      record: recordOf({ nextPosition: 304 }),
    }),
    1,
  );
  await store.commit(
    commitOf(alpha, 1, { entries: [result(302, one.callId)], calls: { made: [], settled: [one.callId] } }),
    1,
  );
  return store;
};

const last = async (store: SharedStore, thread: LoadedThread, count: number): Promise<PlacedEntry[]> =>
  (await Array.fromAsync(lastEntries(store, thread, count))).flat();

/** What the process that runs the thread does next: the second result, and a text behind it. */
const goOn = (store: SharedStore) =>
  store.commit(
    commitOf(alpha, 2, {
      entries: [result(303, two.callId), user(304)],
      calls: { made: [], settled: [two.callId] },
      record: recordOf({ nextPosition: 305 }),
    }),
    1,
  );

describe("reading a thread", () => {
  it("gives its outstanding calls with the instant they were made, and their timers alone", async () => {
    const store = await halfAnswered();
    const reading = await readThread(store, alpha, 1);
    expect(reading?.since.get(two.callId)).toBe(1_000);
    expect(reading?.timers).toEqual([{ callId: two.callId, purpose: "deadline", due: 9_000 }]);
    expect(reading?.runner).toBeNull();
  });

  it("takes no lease, and tells who holds it", async () => {
    const store = await halfAnswered();
    await store.lease("runner", "process 7", 100, 1);
    expect((await readThread(store, alpha, 1))?.runner).toEqual({ by: "process 7", until: 101 });
    await store.release("runner", "process 7");
    expect(await store.lease("runner", "another", 100, 1)).toMatchObject({ held: true });
  });

  it.each([0, 1, 2, 3, 250, 303, 304, Number.POSITIVE_INFINITY])(
    "gives the last %d entries, no more",
    async (count) => {
      const store = await halfAnswered();
      const { thread } = (await readThread(store, alpha, 1)) ?? expect.unreachable();
      const all = await store.history(alpha);
      expect(entriesIn(thread)).toBe(all.length);
      expect(await last(store, thread, count)).toEqual(count === 0 ? [] : all.slice(-count));
    },
  );

  it("shows one moment of a thread, whatever is committed while it is read (R5)", async () => {
    const store = await halfAnswered();
    const { thread } = (await readThread(store, alpha, 1)) ?? expect.unreachable();
    const before = await last(store, thread, Number.POSITIVE_INFINITY);
    await goOn(store);
    const after = await last(store, thread, Number.POSITIVE_INFINITY);
    expect(after).toEqual(before);
    expect(
      faultsOf(
        after,
        thread.calls.map(({ callId }) => callId),
      ),
    ).toEqual([]);
  });

  it("reads again what was committed between calls and timers", async () => {
    const store = await halfAnswered();
    let committed = false;
    const busy: SharedStore = {
      ...store,
      async timers(query) {
        if (!committed) await goOn(store);
        committed = true;
        return store.timers(query);
      },
    };
    const reading = await readThread(busy, alpha, 1);
    expect(reading?.thread.version).toBe(3);
    expect(reading?.timers).toEqual([]);
  });

  it("ends also when every look finds another commit", async () => {
    const store = await halfAnswered();
    let version = 2;
    const restless: SharedStore = {
      ...store,
      async timers(query) {
        await store.commit(commitOf(alpha, version++), 1);
        return store.timers(query);
      },
    };
    expect((await readThread(restless, alpha, 1))?.timers).toHaveLength(1);
  });

  it("gives nothing for a thread that is not there", async () =>
    expect(await readThread(await halfAnswered(), "suite/nobody" as never, 1)).toBeUndefined());
});
