import assert from "node:assert/strict";
import {
  alpha,
  beta,
  callOf,
  commitOf,
  deliver,
  everythingOf,
  recordOf,
  roomy,
  seqsOf,
  spec,
  statusesOf,
  subscriptionOf,
  threadIn,
  turn,
  user,
} from "../material.ts";
import { requirement } from "../requirement.ts";

/** What is still there after a restart, and what is whose: S1, S2, S8, S11. */
export const remembering = [
  requirement("S8", "creates a thread once, and a second time changes nothing", async ({ store }) => {
    assert.equal(await store.create(alpha, spec, 1), true);
    await store.accept([deliver(alpha, "a")], roomy);
    const before = await everythingOf(store);
    assert.equal(await store.create(alpha, { tools: [], instructions: "", metadata: {} }, 2), false);
    assert.deepEqual(await everythingOf(store), before);
    assert.deepEqual((await store.load(alpha))?.spec, spec);
  }),

  requirement("S8", "creates one thread when two ask at the same time", async ({ store }) => {
    const made = await Promise.all([store.create(alpha, spec, 1), store.create(alpha, spec, 1)]);
    assert.deepEqual(made.sort(), [false, true]);
  }),

  requirement("S8", "loads a new thread as one that never did anything, and no other", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const nothing = {
      version: 0,
      record: recordOf(),
      calls: [],
      subscriptions: [],
      choices: [],
      views: [],
      inbox: [],
      opening: null,
      children: [],
    };
    assert.deepEqual(await threadIn(store, alpha), { threadId: alpha, spec, ...nothing });
    assert.equal(await store.load(beta), undefined);
  }),

  requirement("R1", "finds everything again after it was opened anew", async ({ store, reopen }) => {
    await store.create(alpha, spec, 1);
    await store.create(beta, spec, 1);
    const [a = -1, b = -1] = seqsOf(
      await store.accept([deliver(alpha, "a"), deliver(alpha, "b"), deliver(beta, "c")], roomy),
    );
    const made = [callOf(alpha, 1), callOf(alpha, 2)];
    const ids = made.map(({ callId }) => callId);
    await store.commit(
      commitOf(alpha, 0, {
        entries: [user(0, 'é\u{1F600} "quoted" \\ \n'), turn(1, ids)],
        consumed: [a],
        interrupting: [b],
        calls: { made, settled: [] },
        subscriptions: { opened: [subscriptionOf(alpha, 1)], moved: [], ended: [] },
        timers: [{ callId: callOf(alpha, 1).callId, purpose: "wake", due: 5_000 }],
        record: recordOf({
          turns: 1,
          lastFailure: { code: "MODEL_FAILED", message: "gone", at: 3 },
          usage: { inputTokens: 5, outputTokens: 6, cachedInputTokens: 1 },
        }),
        facts: [{ type: "round.ended", outcome: "finished", usage: null, model: "m", text: "" }],
      }),
      2_000,
    );
    await store.mark(alpha, ids.slice(0, 1), "started");
    const before = await everythingOf(store);
    assert.deepEqual(await everythingOf(await reopen()), before);
  }),

  requirement(
    "S2",
    "knows keys, numbers, versions and feed positions after it was opened anew",
    async ({ store, reopen }) => {
      await store.create(alpha, spec, 1);
      const [a = -1] = seqsOf(await store.accept([deliver(alpha, "a")], roomy));
      const fact = { type: "slice.ended", state: "idle" } as const;
      const committed = await store.commit(commitOf(alpha, 0, { consumed: [a], facts: [fact] }), 2_000);
      const again = await reopen();
      assert.deepEqual(statusesOf(await again.accept([deliver(alpha, "a")], roomy)), ["duplicate"]);
      const [next] = await again.accept([deliver(alpha, "b")], roomy);
      assert(next?.status === "accepted" && committed.status === "committed");
      assert(next.waiting.seq > a, "a number is not given again");
      assert(next.feed > committed.feed, "a feed position is not given again");
      assert.equal((await again.commit(commitOf(alpha, 0), 3_000)).status, "stale");
      assert.equal((await again.commit(commitOf(alpha, 1), 3_000)).status, "committed");
    },
  ),

  requirement("S8", "hands out lists that are the reader's own", async ({ store }) => {
    await store.create(alpha, spec, 1);
    await store.accept([deliver(alpha, "a")], roomy);
    const made = [callOf(alpha, 1)];
    const timers = [{ callId: callOf(alpha, 1).callId, purpose: "wake" as const, due: 5_000 }];
    await store.commit(commitOf(alpha, 0, { entries: [user(0)], calls: { made, settled: [] }, timers }), 2_000);
    const before = structuredClone(await everythingOf(store));
    const { threads, histories, feed, timers: due, list } = await everythingOf(store);
    for (const handed of [threads[0]?.inbox, threads[0]?.calls, histories[0], feed, due, list])
      (handed as unknown[]).length = 0;
    assert.deepEqual(await everythingOf(store), before, "emptying what was handed out empties nothing in the store");
  }),

  requirement("S11", "rejects every call after it was closed, and may be closed again", async ({ store }) => {
    await store.create(alpha, spec, 1);
    await store.close();
    await store.close();
    const window = { after: 0, until: 1, limit: 1 };
    const calls: Record<string, () => Promise<unknown>> = {
      create: () => store.create(beta, spec, 1),
      accept: () => store.accept([deliver(alpha, "a")], roomy),
      load: () => store.load(alpha),
      history: () => store.history(alpha),
      commit: () => store.commit(commitOf(alpha, 0), 1),
      mark: () => store.mark(alpha, [], "started"),
      timers: () => store.timers(window),
      nextTimer: () => store.nextTimer(0),
      feed: () => store.feed(window),
      threads: () => store.threads(),
    };
    for (const [name, call] of Object.entries(calls)) await assert.rejects(call, `${name} after close`);
  }),
];
