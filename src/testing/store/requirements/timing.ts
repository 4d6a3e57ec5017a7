import assert from "node:assert/strict";
import { newRecord } from "../../../../machines/thread/commit.ts";
import { alpha, beta, callOf, commitOf, spec } from "../material.ts";
import { type Bench, requirement } from "../requirement.ts";

const wake = (threadId: typeof alpha, number: number, due: number) =>
  ({ callId: callOf(threadId, number).callId, purpose: "wake", due }) as const;

/** Two calls of alpha, with timers at 300 and 100, and one of beta, at 200; each call is outstanding. */
const threeTimers = async ({ store }: Bench) => {
  for (const threadId of [alpha, beta]) await store.create(threadId, spec, 1);
  const made = [callOf(alpha, 1), callOf(alpha, 2)];
  await store.commit(
    commitOf(alpha, 0, { calls: { made, settled: [] }, timers: [wake(alpha, 1, 300), wake(alpha, 2, 100)] }),
    10,
  );
  await store.commit(
    commitOf(beta, 0, { calls: { made: [callOf(beta, 1)], settled: [] }, timers: [wake(beta, 1, 200)] }),
    10,
  );
};

const all = { after: Number.NEGATIVE_INFINITY, until: 1_000_000 };

/** When something is due, and that nothing is due for what is settled: S7. */
export const timing = [
  requirement("S7", "lists timers of all threads, soonest first", async (bench) => {
    await threeTimers(bench);
    assert.deepEqual(await bench.store.timers(all), [
      { ...wake(alpha, 2, 100), threadId: alpha },
      { ...wake(beta, 1, 200), threadId: beta },
      { ...wake(alpha, 1, 300), threadId: alpha },
    ]);
  }),

  requirement("S7", "lists what is due after one instant and up to another, the second included", async (bench) => {
    await threeTimers(bench);
    const due = async (after: number, until: number) =>
      (await bench.store.timers({ after, until })).map((timer) => timer.due);
    assert.deepEqual(await due(100, 300), [200, 300]);
    assert.deepEqual(await due(99, 299), [100, 200]);
    assert.deepEqual(await due(100, 199), []);
    assert.deepEqual(await due(300, 100), []);
  }),

  requirement("S7", "lists the timers of one thread alone, within the same bounds", async (bench) => {
    await threeTimers(bench);
    const { store } = bench;
    const due = async (threadId: typeof alpha, after: number, until: number) =>
      (await store.timers({ after, until, threadId })).map((timer) => timer.due);
    assert.deepEqual(await store.timers({ ...all, threadId: beta }), [{ ...wake(beta, 1, 200), threadId: beta }]);
    assert.deepEqual(await due(alpha, 0, 1_000), [100, 300]);
    assert.deepEqual(await due(alpha, 100, 300), [300]);
    assert.deepEqual(await due(alpha, 99, 299), [100]);
    assert.deepEqual(await due("suite/nobody" as typeof alpha, 0, 1_000), []);
  }),

  requirement("S7", "keeps a timer that was read, until its call is settled", async (bench) => {
    await threeTimers(bench);
    await bench.store.timers(all);
    assert.equal((await bench.store.timers(all)).length, 3);
  }),

  requirement("S12", "takes the thread's own timer away with the next commit that has a record", async (bench) => {
    const { store } = bench;
    await threeTimers(bench);
    const retry = { callId: null, purpose: "retry", due: 50 } as const;
    await store.commit(commitOf(alpha, 1, { timers: [retry] }), 20);
    await store.commit(commitOf(beta, 1, { timers: [{ ...retry, due: 60 }] }), 20);
    assert.deepEqual((await store.timers(all)).slice(0, 2), [
      { ...retry, threadId: alpha },
      { ...retry, threadId: beta, due: 60 },
    ]);
    await store.commit(commitOf(alpha, 2, { record: null }), 20);
    assert.equal(await store.nextTimer(0), 50);
    await store.commit(commitOf(alpha, 3, { record: newRecord, timers: [{ ...retry, due: 70 }] }), 20);
    const due = async () => (await store.timers(all)).map((timer) => timer.due);
    assert.deepEqual(await due(), [60, 70, 100, 200, 300]);
    await store.commit(commitOf(alpha, 4, { record: newRecord }), 20);
    assert.deepEqual(await due(), [60, 100, 200, 300]);
  }),

  requirement("R9", "names the soonest instant after another", async (bench) => {
    await threeTimers(bench);
    const { store } = bench;
    assert.equal(await store.nextTimer(Number.NEGATIVE_INFINITY), 100);
    assert.equal(await store.nextTimer(99), 100);
    assert.equal(await store.nextTimer(100), 200);
    assert.equal(await store.nextTimer(250), 300);
    assert.equal(await store.nextTimer(300), undefined);
  }),

  requirement("S7", "clears the timers of a call with the call, all of them and no others", async (bench) => {
    await threeTimers(bench);
    const { store } = bench;
    const deadline = { callId: callOf(alpha, 2).callId, purpose: "deadline", due: 400 } as const;
    await store.commit(commitOf(alpha, 1, { timers: [deadline] }), 20);
    await store.commit(commitOf(alpha, 2, { calls: { made: [], settled: [callOf(alpha, 2).callId] } }), 30);
    assert.deepEqual(
      (await store.timers(all)).map(({ due }) => due),
      [200, 300],
    );
    assert.equal(await store.nextTimer(Number.NEGATIVE_INFINITY), 200);
  }),

  requirement("S7", "has at most one timer of each purpose for a call: the last that was set", async (bench) => {
    await threeTimers(bench);
    const { store } = bench;
    const deadline = { callId: callOf(alpha, 1).callId, purpose: "deadline", due: 150 } as const;
    await store.commit(commitOf(alpha, 1, { timers: [wake(alpha, 1, 50), deadline] }), 20);
    assert.deepEqual(
      (await store.timers(all)).map(({ due, purpose }) => [due, purpose]),
      [
        [50, "wake"],
        [100, "wake"],
        [150, "deadline"],
        [200, "wake"],
      ],
    );
  }),

  requirement("S7", "lists timers of one instant all, in the order they were set", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const numbers = [4, 1, 3, 2];
    for (const [version, number] of numbers.entries())
      await store.commit(
        commitOf(alpha, version, {
          calls: { made: [callOf(alpha, number)], settled: [] },
          timers: [wake(alpha, number, 500)],
        }),
        10,
      );
    await store.commit(commitOf(alpha, 4, { calls: { made: [], settled: [callOf(alpha, 1).callId] } }), 10);
    assert.deepEqual(
      (await store.timers(all)).map(({ callId }) => callId),
      [4, 3, 2].map((number) => callOf(alpha, number).callId),
    );
  }),
];
