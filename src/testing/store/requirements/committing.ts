import assert from "node:assert/strict";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import {
  alpha,
  callOf,
  commitOf,
  deliver,
  everythingOf,
  recordOf,
  result,
  roomy,
  seqsOf,
  spec,
  subscriptionOf,
  turn,
  user,
  waitingIn,
} from "../material.ts";
import { type Bench, requirement } from "../requirement.ts";

/** A commit that touches everything a commit can touch; `consumed` and `marked` are inputs that wait. */
const fullCommit = (version: number, consumed: number, marked: number) =>
  commitOf(alpha, version, {
    entries: [user(0), turn(1, [callOf(alpha, 1).callId, callOf(alpha, 2).callId])],
    consumed: [consumed],
    interrupting: [marked],
    calls: { made: [callOf(alpha, 1), callOf(alpha, 2)], settled: [] },
    subscriptions: { opened: [subscriptionOf(alpha, 1)], moved: [], ended: [] },
    timers: [{ callId: callOf(alpha, 1).callId, purpose: "deadline", due: 9_000 }],
    record: recordOf({ nextPosition: 4, turns: 1, rounds: 1, state: "awaitingActiveCall" }),
    facts: [
      { type: "entry.added", position: 0, entry: user(0).entry },
      { type: "slice.ended", state: "awaitingActiveCall" },
    ],
  });

/** A thread in which `a` and `b` wait. */
const withTwoInputs = async ({ store }: Bench): Promise<[number, number]> => {
  await store.create(alpha, spec, 1);
  const [a = -1, b = -1] = seqsOf(await store.accept([deliver(alpha, "a"), deliver(alpha, "b")], roomy));
  return [a, b];
};

/** What a commit does, and that it does all of it or nothing: S3, S4, S5, S9. */
export const committing = [
  requirement("S3", "applies everything that a commit holds", async (bench) => {
    const { store } = bench;
    const [a, b] = await withTwoInputs(bench);
    const commit = fullCommit(0, a, b);
    const outcome = await store.commit(commit, 2_000);
    assert.deepEqual({ ...outcome, feed: 0 }, { status: "committed", version: 1, feed: 0, sent: [] });
    const loaded = await store.load(alpha);
    assert.equal(loaded?.version, 1);
    assert.deepEqual(loaded.record, commit.record);
    assert.deepEqual(loaded.calls, commit.calls.made);
    assert.deepEqual(loaded.subscriptions, commit.subscriptions.opened);
    assert.deepEqual(
      loaded.inbox.map(({ seq, interrupts = false }) => ({ seq, interrupts })),
      [{ seq: b, interrupts: true }],
    );
    assert.deepEqual(await store.history(alpha), commit.entries);
    assert.deepEqual(await store.timers({ after: 0, until: 10_000 }), [{ ...commit.timers[0], threadId: alpha }]);
    assert.deepEqual(
      (await store.feed({ after: 2, limit: 10 })).map(({ feed, at, ...fact }) => ({ at, fact })),
      commit.facts.map((fact) => ({ at: 2_000, fact: { ...fact, threadId: alpha } })),
    );
  }),

  requirement(
    "S3",
    "refuses a commit of another version, older or newer, and nothing of it is visible",
    async (bench) => {
      const { store } = bench;
      const [a, b] = await withTwoInputs(bench);
      await store.commit(commitOf(alpha, 0), 2_000);
      const before = await everythingOf(store);
      for (const version of [0, 2]) {
        assert.deepEqual(await store.commit(fullCommit(version, a, b), 3_000), { status: "stale", version: 1 });
        assert.deepEqual(await everythingOf(store), before, `nothing of the commit for version ${version} is visible`);
      }
    },
  ),

  requirement("S3", "lets one of two commits through that were made for the same version", async (bench) => {
    const { store } = bench;
    const [a, b] = await withTwoInputs(bench);
    const outcomes = await Promise.all([
      store.commit(fullCommit(0, a, b), 2_000),
      store.commit(fullCommit(0, b, a), 2_000),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["committed", "stale"]);
  }),

  requirement(
    "S3",
    "rejects a commit whose entry would take another's place, and nothing of it is visible",
    async (bench) => {
      const { store } = bench;
      const [a, b] = await withTwoInputs(bench);
      await store.commit(commitOf(alpha, 0, { entries: [user(1, "was here first")] }), 2_000);
      const before = await everythingOf(store);
      await assert.rejects(store.commit(fullCommit(1, a, b), 3_000), "position 1 is taken");
      assert.deepEqual(await everythingOf(store), before);
    },
  ),

  requirement("S3", "rejects a commit to a thread that does not exist, and creates nothing", async ({ store }) => {
    await assert.rejects(store.commit(commitOf("suite/nobody" as ThreadId, 0, { entries: [user(0)] }), 1_000));
    assert.deepEqual(await store.threads(), []);
    assert.equal(await store.load("suite/nobody" as ThreadId), undefined);
  }),

  requirement("S3", "counts commits in the version, and no acceptances", async (bench) => {
    const { store } = bench;
    await withTwoInputs(bench);
    assert.equal((await store.load(alpha))?.version, 0);
    await store.commit(commitOf(alpha, 0), 2_000);
    await store.accept([deliver(alpha, "c")], roomy);
    assert.equal((await store.commit(commitOf(alpha, 1), 3_000)).status, "committed");
    assert.equal((await store.load(alpha))?.version, 2);
  }),

  requirement("S3", "keeps the record when a commit brings none", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const record = recordOf({ turns: 7, state: "subscribed" });
    await store.commit(commitOf(alpha, 0, { record }), 2_000);
    await store.commit(commitOf(alpha, 1), 3_000);
    assert.deepEqual((await store.load(alpha))?.record, record);
  }),

  requirement("S4", "keeps the order of what waits when inputs between are consumed or marked", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const ids = ["a", "b", "c", "d"];
    const [, b = -1, c = -1] = seqsOf(
      await store.accept(
        ids.map((id) => deliver(alpha, id)),
        roomy,
      ),
    );
    await store.commit(commitOf(alpha, 0, { consumed: [b], interrupting: [c] }), 2_000);
    await store.accept([deliver(alpha, "e")], roomy);
    assert.deepEqual(await waitingIn(store, alpha), ["a", "c", "d", "e"]);
    const marks = (await store.load(alpha))?.inbox.map(({ interrupts }) => interrupts === true);
    assert.deepEqual(marks, [false, true, false, false]);
  }),

  requirement("S5", "puts a result that comes late at its place before what is stored already", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const [one, two] = [callOf(alpha, 1).callId, callOf(alpha, 2).callId];
    await store.commit(commitOf(alpha, 0, { entries: [user(0), turn(1, [one, two])] }), 2_000);
    await store.commit(commitOf(alpha, 1, { entries: [result(3, two), user(4)] }), 3_000);
    await store.commit(commitOf(alpha, 2, { entries: [result(2, one)] }), 4_000);
    assert.deepEqual(await store.history(alpha), [
      user(0),
      turn(1, [one, two]),
      result(2, one),
      result(3, two),
      user(4),
    ]);
  }),

  requirement("S5", "reads a range of the history, its end not included", async ({ store }) => {
    await store.create(alpha, spec, 1);
    await store.commit(commitOf(alpha, 0, { entries: [user(0), user(1), user(3), user(4)] }), 2_000);
    const positions = async (range?: { from?: number; to?: number }) =>
      (await store.history(alpha, range)).map(({ position }) => position);
    assert.deepEqual(await positions({ from: 1, to: 4 }), [1, 3]);
    assert.deepEqual(await positions({ from: 3 }), [3, 4]);
    assert.deepEqual(await positions({ to: 1 }), [0]);
    assert.deepEqual(await positions({ from: 2, to: 3 }), []);
    assert.deepEqual(await positions({ from: 9 }), []);
    assert.deepEqual(await store.history("suite/nobody" as ThreadId), []);
  }),

  requirement("R5", "lists outstanding calls by position, and settled ones no more", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const [one, two, three] = [callOf(alpha, 1), callOf(alpha, 2), callOf(alpha, 3)];
    await store.commit(commitOf(alpha, 0, { calls: { made: [two, three], settled: [] } }), 2_000);
    await store.commit(commitOf(alpha, 1, { calls: { made: [one], settled: [two.callId] } }), 3_000);
    assert.deepEqual((await store.load(alpha))?.calls, [one, three]);
  }),

  requirement("S3", "keeps a subscription in its place when it moves on", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const [one, two] = [subscriptionOf(alpha, 1), subscriptionOf(alpha, 2)];
    const moved = { ...one, lastEventId: "e7" };
    await store.commit(commitOf(alpha, 0, { subscriptions: { opened: [one, two], moved: [], ended: [] } }), 2_000);
    await store.commit(commitOf(alpha, 1, { subscriptions: { opened: [], moved: [moved], ended: [] } }), 3_000);
    assert.deepEqual((await store.load(alpha))?.subscriptions, [moved, two]);
  }),

  requirement("S3", "lists subscriptions in the order they were opened, and ended ones no more", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const [one, two, three] = [1, 2, 3].map((number) => subscriptionOf(alpha, number));
    assert(one && two && three);
    await store.commit(commitOf(alpha, 0, { subscriptions: { opened: [three, one], moved: [], ended: [] } }), 2_000);
    await store.commit(commitOf(alpha, 1, { subscriptions: { opened: [two], moved: [], ended: [one.callId] } }), 3_000);
    assert.deepEqual((await store.load(alpha))?.subscriptions, [three, two]);
  }),

  requirement("S9", "moves a call's status forward, and back for nobody", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const made = [callOf(alpha, 1), callOf(alpha, 2), callOf(alpha, 3)];
    const ids = made.map(({ callId }) => callId);
    await store.commit(commitOf(alpha, 0, { calls: { made, settled: [] } }), 2_000);
    const statuses = async () => (await store.load(alpha))?.calls.map(({ status }) => status);
    await store.mark(alpha, ids.slice(0, 2), "started");
    assert.deepEqual(await statuses(), ["started", "started", "committed"]);
    await store.mark(alpha, ids.slice(0, 1), "acknowledged");
    await store.mark(alpha, ids, "started");
    assert.deepEqual(await statuses(), ["acknowledged", "started", "started"]);
    await store.mark(alpha, ids, "committed");
    assert.deepEqual(await statuses(), ["acknowledged", "started", "started"]);
    assert.equal((await store.load(alpha))?.version, 1, "a mark is no commit");
  }),

  requirement("S9", "leaves settled calls and unknown ones alone when marks come late", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const [one, two] = [callOf(alpha, 1), callOf(alpha, 2)];
    await store.commit(commitOf(alpha, 0, { calls: { made: [one, two], settled: [] } }), 2_000);
    await store.commit(commitOf(alpha, 1, { calls: { made: [], settled: [one.callId] } }), 3_000);
    const before = await everythingOf(store);
    await store.mark(alpha, [one.callId, callOf(alpha, 9).callId], "acknowledged");
    await store.mark("suite/nobody" as ThreadId, [two.callId], "acknowledged");
    assert.deepEqual(await everythingOf(store), before);
  }),

  requirement("S20", "mends a history by a commit: what it changes and takes out is kept as it was", async (bench) => {
    const { store } = bench;
    await store.create(alpha, spec, 1);
    await store.commit(commitOf(alpha, 0, { entries: [user(0), user(1), user(2)] }), 1_000);
    const mended = user(1, "mended");
    await store.commit(commitOf(alpha, 1, { repair: { entries: [mended], removed: [2] }, entries: [user(3)] }), 2_000);
    const again = await bench.reopen();
    assert.deepEqual(await again.history(alpha), [user(0), mended, user(3)]);
    if (again.rows) assert.deepEqual(await again.rows(alpha), [user(0), mended, user(3)]);
    if (!again.setAside) return;
    assert.deepEqual(
      (await again.setAside(alpha)).map(({ position, stored, at }) => ({ position, entry: JSON.parse(stored), at })),
      [user(1), user(2)].map((placed) => ({ ...placed, at: 2_000 })),
    );
  }),

  requirement("S20", "repairs nothing under an old version", async ({ store }) => {
    await store.create(alpha, spec, 1);
    await store.commit(commitOf(alpha, 0, { entries: [user(0)] }), 1_000);
    const outcome = await store.commit(commitOf(alpha, 0, { repair: { entries: [], removed: [0] } }), 2_000);
    assert.equal(outcome.status, "stale");
    assert.deepEqual(await store.history(alpha), [user(0)]);
  }),

  requirement("S21", "keeps summaries beside the history, each for the position it covers", async (bench) => {
    const { store } = bench;
    await store.create(alpha, spec, 1);
    await store.commit(commitOf(alpha, 0, { entries: [user(0), user(1)] }), 1_000);
    await store.commit(commitOf(alpha, 1, { summary: { upTo: 1, text: "first" } }), 2_000);
    await store.commit(commitOf(alpha, 2, { summary: { upTo: 2, text: "second" } }), 3_000);
    const again = await bench.reopen();
    assert.deepEqual(await again.history(alpha), [user(0), user(1)], "the history stays");
    if (!again.summary) return;
    assert.deepEqual(
      [await again.summary(alpha, 1), await again.summary(alpha, 2), await again.summary(alpha, 3)],
      ["first", "second", undefined],
    );
  }),
];
