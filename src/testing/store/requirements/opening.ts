import assert from "node:assert/strict";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { Child, NewThread } from "../../../../machines/thread/family.ts";
import type { Store } from "../../../store/store.ts";
import {
  alpha,
  beta,
  callOf,
  childOf,
  commitOf,
  deliver,
  everythingOf,
  recordOf,
  result,
  roomy,
  seqsOf,
  spec,
  threadIn,
  toOpen,
  turn,
  user,
} from "../material.ts";
import { type Bench, requirement } from "../requirement.ts";

const idOf = (name: string) => `suite/child/${name}` as ThreadId;
const [one, two, three] = [idOf("1"), idOf("2"), idOf("3")];

/** As the parent keeps it right after it was opened. */
const kept = ({ threadId, opening }: NewThread, rested = false): Child => {
  const { kind, source } = opening;
  return { threadId, kind, source, rested };
};

const childrenOf = async (store: Store, threadId: ThreadId) => (await store.load(threadId))?.children;

/** Alpha, with a history of four entries, and a child of it whose own entries stand at 2 and 4. */
const withChild = async ({ store }: Bench): Promise<NewThread> => {
  await store.create(alpha, spec, 1);
  const { callId } = callOf(alpha, 1);
  const child = childOf([alpha], one, {
    record: recordOf({ nextPosition: 5, roundDue: true, state: "running" }),
    entries: [result(2, callId), { position: 4, entry: { kind: "seed", at: 1, callId, args: {}, text: "Go." } }],
    facts: [{ type: "state.changed", state: "running" }],
  });
  const own = [user(0), turn(1, [callId]), user(3)];
  const facts = [{ type: "child.opened", childId: one, kind: "spawned", callId } as const];
  const outcome = await store.commit(commitOf(alpha, 0, { entries: own, facts, ...toOpen(child) }), 2_000);
  assert.equal(outcome.status, "committed");
  return child;
};

/** Threads that other threads open: S14, S15. */
export const opening = [
  requirement("S14", "opens a child that loads as the commit made it, under the spec of its parent", async (bench) => {
    const { store } = bench;
    const child = await withChild(bench);
    const nothing = { calls: [], subscriptions: [], choices: [], views: [], inbox: [], children: [] };
    const { threadId, opening, record } = child;
    assert.deepEqual(await threadIn(store, one), { threadId, spec, version: 0, record, opening, ...nothing });
    assert.deepEqual(
      (await store.feed({ after: 0, limit: 10 })).map(({ feed, at, ...fact }) => fact),
      [
        { type: "child.opened", childId: one, kind: "spawned", callId: callOf(alpha, 1).callId, threadId: alpha },
        { type: "state.changed", state: "running", threadId: one },
      ],
      "the facts of a child are in its own feed, behind those of the commit",
    );
    assert.deepEqual(
      (await store.feed({ after: 0, limit: 10, threadId: one })).map(({ type, at }) => ({ type, at })),
      [{ type: "state.changed", at: 2_000 }],
    );
  }),

  requirement("S14", "keeps the histories of parent and child apart, at equal positions too", async (bench) => {
    const { store } = bench;
    const { entries } = await withChild(bench);
    assert.deepEqual(await store.history(one), entries, "what it inherits is its parent's");
    assert.deepEqual(await store.history(one, { from: 3 }), entries.slice(1));
    await store.commit(commitOf(one, 0, { entries: [user(5)] }), 3_000);
    const late = result(2, callOf(alpha, 1).callId);
    await store.commit(commitOf(alpha, 1, { entries: [late, user(4), user(5, "of the parent")] }), 3_000);
    assert.deepEqual(await store.history(one), [...entries, user(5)]);
    assert.deepEqual(
      (await store.history(alpha)).map(({ position }) => position),
      [0, 1, 2, 3, 4, 5],
    );
    await assert.rejects(store.commit(commitOf(one, 1, { entries: [user(4)] }), 4_000), "the seed is there");
  }),

  requirement("S14", "gives a child's child the spec of the root, and its own opening", async (bench) => {
    const { store, reopen } = bench;
    await withChild(bench);
    await store.create(beta, { ...spec, instructions: "Of another root." }, 1);
    const path: [ThreadId, ...ThreadId[]] = [alpha, one];
    const openings = new Map<ThreadId, NewThread["opening"]>();
    for (let depth = 2; depth <= 6; depth++) {
      const child = childOf([...path] as [ThreadId], idOf(`deep${depth}`));
      await store.commit(commitOf(path.at(-1) as ThreadId, 0, toOpen(child)), 3_000);
      openings.set(child.threadId, child.opening);
      path.push(child.threadId);
    }
    const again = await reopen();
    for (const [threadId, own] of openings) {
      const loaded = await again.load(threadId);
      assert.deepEqual(loaded?.spec, spec);
      assert.deepEqual(loaded.opening, own);
    }
  }),

  requirement("S14", "changes neither spec nor opening of a child, whatever is committed later", async (bench) => {
    const { store } = bench;
    const { opening: own } = await withChild(bench);
    const moved: Child = { threadId: one, kind: "event", source: { ...own.source, name: "watch" }, rested: true };
    await store.commit(commitOf(alpha, 1, { children: { opened: [], moved: [moved], ended: [] } }), 3_000);
    assert.equal(await store.create(one, { tools: [], instructions: "", metadata: {} }, 4_000), false);
    await store.commit(commitOf(one, 0, { record: recordOf({ state: "closed" }) }), 4_000);
    await store.commit(commitOf(alpha, 2, { children: { opened: [], moved: [], ended: [one] } }), 5_000);
    const loaded = await store.load(one);
    assert.deepEqual(loaded?.opening, own);
    assert.deepEqual(loaded.spec, spec);
    assert.equal(loaded.record.state, "closed", "it is there after its end");
  }),

  requirement("R8", "lets a child take inputs and commit on its own, as any thread does", async (bench) => {
    const { store } = bench;
    const child = await withChild(bench);
    const parent = await threadIn(store, alpha);
    const consumed = seqsOf(await store.accept([deliver(one, "a"), deliver(one, "b")], roomy)).slice(0, 1);
    const timers = [{ callId: callOf(one, 1).callId, purpose: "wake", due: 7 } as const];
    const calls = { made: [callOf(one, 1)], settled: [] };
    await store.commit(commitOf(one, 0, { entries: [user(5)], consumed, calls, timers }), 3_000);
    assert.equal((await store.commit(commitOf(one, 0), 4_000)).status, "stale");
    const loaded = await store.load(one);
    assert.equal(loaded?.version, 1);
    assert.deepEqual(loaded.record, child.record);
    assert.deepEqual(loaded.calls, calls.made);
    assert.deepEqual(
      loaded.inbox.map(({ dedupId }) => dedupId),
      ["b"],
    );
    assert.deepEqual(await store.timers({ after: 0, until: 10 }), [{ ...timers[0], threadId: one }]);
    assert.deepEqual(await threadIn(store, alpha), parent, "its parent is as it was");
  }),

  requirement("S15", "lists open children in the order they were opened, and ended ones no more", async (bench) => {
    const { store, reopen } = bench;
    await store.create(alpha, spec, 1);
    const [a, b, c] = [childOf([alpha], three), childOf([alpha], one), childOf([alpha], two)];
    await store.commit(commitOf(alpha, 0, toOpen(a, b)), 2_000);
    assert.deepEqual(await childrenOf(store, alpha), [kept(a), kept(b)]);
    await store.commit(commitOf(alpha, 1, { children: { opened: [c], moved: [], ended: [one] } }), 3_000);
    assert.deepEqual(await childrenOf(store, alpha), [kept(a), kept(c)]);
    assert.deepEqual(await childrenOf(store, one), [], "a child has none of its own");
    await store.commit(commitOf(alpha, 2, { record: recordOf({ turns: 1 }) }), 4_000);
    assert.deepEqual(await childrenOf(await reopen(), alpha), [kept(a), kept(c)]);
  }),

  requirement("S15", "keeps a child in its place when it moves on", async (bench) => {
    const { store } = bench;
    await store.create(alpha, spec, 1);
    const [a, b] = [childOf([alpha], one), childOf([alpha], two)];
    await store.commit(commitOf(alpha, 0, toOpen(a, b)), 2_000);
    const moved = kept(a, true);
    await store.commit(commitOf(alpha, 1, { children: { opened: [], moved: [moved], ended: [] } }), 3_000);
    assert.deepEqual(await childrenOf(store, alpha), [moved, kept(b)]);
    await store.commit(commitOf(alpha, 2), 4_000);
    assert.deepEqual(await childrenOf(store, alpha), [moved, kept(b)], "until a commit names it again");
  }),

  requirement("R1", "finds a child whose first round is due among the threads with work", async (bench) => {
    const { store, reopen } = bench;
    await withChild(bench);
    await store.commit(commitOf(alpha, 1, toOpen(childOf([alpha], two))), 3_000);
    const again = await reopen();
    const listed = (await again.threads()).map(({ threadId, due, state }) => ({ threadId, due, state }));
    assert.deepEqual(listed, [
      { threadId: alpha, due: false, state: "idle" },
      { threadId: one, due: true, state: "running" },
      { threadId: two, due: false, state: "idle" },
    ]);
    const withWork = async () => (await again.threads({ withWork: true })).map(({ threadId }) => threadId);
    assert.deepEqual(await withWork(), [one]);
    await again.commit(commitOf(one, 0, { record: recordOf() }), 4_000);
    assert.deepEqual(await withWork(), []);
  }),

  requirement(
    "S10",
    "lists the children of one thread, open and closed, and roots, each with its parent",
    async (bench) => {
      const { store } = bench;
      for (const threadId of [beta, alpha]) await store.create(threadId, spec, 1);
      const deep = idOf("1/1");
      const due = { record: recordOf({ roundDue: true }) };
      await store.commit(commitOf(alpha, 0, toOpen(childOf([alpha], two, due), childOf([alpha], one))), 2_000);
      await store.commit(commitOf(one, 0, toOpen(childOf([alpha, one], deep))), 2_000);
      await store.commit(commitOf(alpha, 1, toOpen(childOf([alpha], three, due))), 2_000);
      await store.commit(commitOf(beta, 0, toOpen(childOf([beta], idOf("b")))), 2_000);
      await store.commit(commitOf(two, 0, { record: recordOf({ state: "closed" }) }), 3_000);
      await store.commit(commitOf(alpha, 2, { children: { opened: [], moved: [], ended: [two] } }), 3_000);
      const listed = async (query: Parameters<Store["threads"]>[0]) =>
        (await store.threads(query)).map(({ threadId, parent }) => [threadId, parent]);
      assert.deepEqual(await listed({ parent: alpha }), [
        [one, alpha],
        [two, alpha],
        [three, alpha],
      ]);
      assert.deepEqual(await listed({ parent: one }), [[deep, one]]);
      assert.deepEqual(await listed({ parent: deep }), []);
      assert.deepEqual(await listed({ parent: "suite/nobody" as ThreadId }), []);
      assert.deepEqual(await listed({ parent: null }), [
        [alpha, null],
        [beta, null],
      ]);
      assert.deepEqual(await listed({ parent: null, after: alpha }), [[beta, null]]);
      assert.deepEqual(await listed({ parent: alpha, after: one, limit: 1 }), [[two, alpha]]);
      assert.deepEqual(await listed({ parent: alpha, state: "closed" }), [[two, alpha]]);
      assert.deepEqual(await listed({ parent: alpha, withWork: true }), [[three, alpha]]);
      await store.accept([deliver(beta, "a"), deliver(deep, "a")], roomy);
      assert.deepEqual(await listed({ parent: null, withWork: true }), [[beta, null]]);
      assert.deepEqual(await listed({ withWork: true, after: beta }), [
        [deep, one],
        [three, alpha],
      ]);
    },
  ),

  requirement("R1", "finds families again after it was opened anew", async (bench) => {
    const { store, reopen } = bench;
    const child = await withChild(bench);
    await store.commit(commitOf(one, 0, toOpen(childOf([alpha, one], two))), 3_000);
    await store.commit(
      commitOf(alpha, 1, {
        children: { opened: [childOf([alpha], three)], moved: [kept(child, true)], ended: [] },
        record: recordOf({ halted: true, closing: { report: "é", told: true } }),
        entries: [{ position: 4, entry: { kind: "event", at: 1, source: child.opening.source, text: "", from: one } }],
        timers: [{ callId: null, purpose: "linger", due: 5_000 }],
        facts: [
          { type: "thread.halted" },
          { type: "thread.resumed" },
          { type: "child.ended", childId: two, callId: child.opening.source.callId },
        ],
      }),
      4_000,
    );
    await store.commit(commitOf(two, 0, { record: recordOf({ closing: { report: null, told: false } }) }), 5_000);
    const family = [alpha, one, two, three];
    const before = await everythingOf(store, family);
    assert.deepEqual(await everythingOf(await reopen(), family), before);
  }),

  requirement("S8", "hands out lists of children that are the reader's own", async (bench) => {
    const { store } = bench;
    await withChild(bench);
    const loaded = await store.load(alpha);
    (loaded?.children as unknown[]).length = 0;
    ((await store.threads({ parent: alpha })) as unknown[]).length = 0;
    ((await store.history(one)) as unknown[]).length = 0;
    assert.equal((await childrenOf(store, alpha))?.length, 1);
    assert.equal((await store.threads({ parent: alpha })).length, 1);
    assert.equal((await store.history(one)).length, 2);
  }),
];
