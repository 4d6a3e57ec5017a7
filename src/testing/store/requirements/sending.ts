import assert from "node:assert/strict";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { CommitOutcome } from "../../../store/store.ts";
import {
  alpha,
  beta,
  childOf,
  commitOf,
  deliver,
  envelopeOf,
  everythingOf,
  recordOf,
  roomy,
  say,
  seqsOf,
  spec,
  statusesOf,
  toOpen,
  user,
  waitingIn,
} from "../material.ts";
import { type Bench, requirement } from "../requirement.ts";

const child = "suite/alpha/1" as ThreadId;
const other = "suite/alpha/2" as ThreadId;
const nobody = "suite/nobody" as ThreadId;
const family = [alpha, beta, child, other];

const withThreads = async ({ store }: Bench) => {
  for (const threadId of [alpha, beta]) await store.create(threadId, spec, 1);
};

/** The acceptances of what a commit sent; the commit must have been made. */
const sentBy = (outcome: CommitOutcome) => {
  assert(outcome.status === "committed", "the commit was made");
  return outcome.sent;
};

/** What a commit sends is accepted where it goes by that very commit, or the commit was never made: S13. */
export const sending = [
  requirement("S13", "files what a commit sends as an accept would, with the commit's instant", async (bench) => {
    const { store } = bench;
    await withThreads(bench);
    const sent = [envelopeOf(beta, "a"), envelopeOf(beta, "b", say("see", "slack"))];
    const facts = [{ type: "slice.ended", state: "idle" } as const];
    const outcome = await store.commit(commitOf(alpha, 0, { sent, facts }), 2_000);
    const acceptances = sentBy(outcome);
    assert.deepEqual(statusesOf(acceptances), ["accepted", "accepted"]);
    const filed = acceptances.map((acceptance) => acceptance.status === "accepted" && acceptance.waiting);
    const loaded = await store.load(beta);
    assert.deepEqual(loaded?.inbox, filed, "the acceptances name the inputs as the inbox has them");
    assert.deepEqual(
      filed.map((waiting) => waiting && { ...waiting, seq: 0 }),
      sent.map(({ dedupId, input }) => ({ seq: 0, dedupId, input, at: 2_000 })),
    );
    assert.equal(loaded.version, 0, "no commit of the thread that it was sent to");
    assert.deepEqual(
      (await store.feed({ after: 0, limit: 10, threadId: beta })).map(({ feed, ...fact }) => fact),
      sent.map(({ dedupId, input }) => ({ type: "input.accepted", dedupId, input, threadId: beta, at: 2_000 })),
    );
    assert.deepEqual(
      (await store.feed({ after: 0, limit: 10 })).map(({ feed }) => feed),
      [outcome, ...acceptances].map((one) => ("feed" in one ? one.feed : -1)),
      "each says the position of its fact",
    );
  }),

  requirement("R3", "keeps the order of what was accepted and what commits sent meanwhile", async (bench) => {
    const { store } = bench;
    await withThreads(bench);
    const seqs = seqsOf(await store.accept([deliver(beta, "a")], roomy));
    const sent = [envelopeOf(beta, "c"), envelopeOf(alpha, "own"), envelopeOf(beta, "b")];
    const [c, own, b] = seqsOf(sentBy(await store.commit(commitOf(alpha, 0, { sent }), 2_000)));
    seqs.push(c ?? -1, b ?? -1, ...seqsOf(await store.accept([deliver(beta, "d")], roomy)));
    assert.deepEqual(await waitingIn(store, beta), ["a", "c", "b", "d"]);
    assert.deepEqual(await waitingIn(store, alpha), ["own"], "a thread may send to itself");
    assert.deepEqual(
      [...new Set(seqs)].sort((one, two) => one - two),
      seqs,
    );
    await store.commit(commitOf(beta, 0, { consumed: seqs.slice(1, 3) }), 3_000);
    await store.commit(commitOf(alpha, 1, { consumed: [own ?? -1] }), 3_000);
    assert.deepEqual(await waitingIn(store, beta), ["a", "d"]);
    assert.deepEqual(await waitingIn(store, alpha), []);
  }),

  requirement("S13", "files what is sent to a thread that the same commit opens", async (bench) => {
    const { store } = bench;
    await withThreads(bench);
    const sent = [envelopeOf(child, "b"), envelopeOf(beta, "x"), envelopeOf(child, "a")];
    const outcome = await store.commit(commitOf(alpha, 0, { sent, ...toOpen(childOf([alpha], child)) }), 2_000);
    assert.deepEqual(statusesOf(sentBy(outcome)), ["accepted", "accepted", "accepted"]);
    assert.deepEqual(await waitingIn(store, child), ["b", "a"]);
  }),

  requirement("S13", "files what is sent whatever waits there: it passes no limit", async (bench) => {
    const { store } = bench;
    await withThreads(bench);
    await store.accept([deliver(beta, "a"), deliver(beta, "b")], { inboxLimit: 2 });
    const sent = Array.from({ length: 1_100 }, (_, index) => envelopeOf(beta, `sent ${index}`));
    const outcome = await store.commit(commitOf(alpha, 0, { sent }), 2_000);
    assert.deepEqual(new Set(statusesOf(sentBy(outcome))), new Set(["accepted"]));
    assert.equal((await waitingIn(store, beta)).length, 1_102);
    assert.deepEqual(
      statusesOf(await store.accept([deliver(beta, "c")], { inboxLimit: 1_000 })),
      ["inbox-full"],
      "what was sent takes room as everything does",
    );
  }),

  requirement(
    "R2",
    "takes a key once, whether it was accepted or sent, and also when it waits no more",
    async (bench) => {
      const { store, reopen } = bench;
      await withThreads(bench);
      const seqs = seqsOf(await store.accept([deliver(beta, "a")], roomy));
      const sent = [envelopeOf(beta, "a"), envelopeOf(beta, "b"), envelopeOf(beta, "b"), envelopeOf(alpha, "b")];
      const first = sentBy(await store.commit(commitOf(alpha, 0, { sent }), 2_000));
      assert.deepEqual(statusesOf(first), ["duplicate", "accepted", "duplicate", "accepted"]);
      seqs.push(...seqsOf(first).slice(1, 2));
      assert.deepEqual(statusesOf(await store.accept([deliver(beta, "b")], roomy)), ["duplicate"]);
      await store.commit(commitOf(beta, 0, { consumed: seqs }), 3_000);
      const again = await reopen();
      const second = sentBy(await again.commit(commitOf(alpha, 1, { sent: sent.slice(0, 2) }), 4_000));
      assert.deepEqual(statusesOf(second), ["duplicate", "duplicate"]);
      assert.deepEqual(statusesOf(await again.accept([deliver(beta, "b")], roomy)), ["duplicate"]);
      assert.deepEqual(await waitingIn(again, beta), []);
      assert.equal((await again.feed({ after: 0, limit: 10, threadId: beta })).length, 2, "one fact for each key");
    },
  ),

  requirement("S13", "is made when it sends to threads that are unknown or closed, which refuse", async (bench) => {
    const { store } = bench;
    await withThreads(bench);
    await store.accept([deliver(beta, "a")], roomy);
    await store.commit(commitOf(beta, 0, { record: recordOf({ state: "closed" }) }), 1_500);
    const before = await everythingOf(store, [beta, nobody]);
    const sent = [envelopeOf(nobody, "1"), envelopeOf(beta, "1"), envelopeOf(alpha, "1"), envelopeOf(beta, "a")];
    const outcome = await store.commit(commitOf(alpha, 0, { entries: [user(0)], sent }), 2_000);
    assert.deepEqual(statusesOf(sentBy(outcome)), ["unknown-thread", "thread-closed", "accepted", "duplicate"]);
    assert.deepEqual(await store.history(alpha), [user(0)]);
    const after = await everythingOf(store, [beta, nobody]);
    assert.deepEqual(after.threads, before.threads, "a refused envelope creates nothing and waits nowhere");
    assert.equal(after.feed.length, before.feed.length + 1, "it leaves no fact either");
    await store.create(nobody, spec, 3_000);
    const later = await store.commit(commitOf(alpha, 1, { sent: sent.slice(0, 1) }), 4_000);
    assert.deepEqual(statusesOf(sentBy(later)), ["accepted"], "a refused key counts as unseen");
  }),

  requirement("S13", "opens and sends nothing with a commit that is stale", async (bench) => {
    const { store } = bench;
    await withThreads(bench);
    await store.commit(commitOf(alpha, 0), 1_500);
    const before = await everythingOf(store, family);
    for (const version of [0, 2]) {
      const sent = [envelopeOf(beta, "a"), envelopeOf(child, "a"), envelopeOf(alpha, "a")];
      const stale = commitOf(alpha, version, { sent, ...toOpen(childOf([alpha], child)) });
      assert.deepEqual(await store.commit(stale, 2_000), { status: "stale", version: 1 });
      assert.deepEqual(await everythingOf(store, family), before);
    }
    assert.deepEqual(statusesOf(await store.accept([deliver(beta, "a")], roomy)), ["accepted"], "no key was seen");
    assert.equal(await store.create(child, spec, 3_000), true, "the id is free");
  }),

  requirement("S13", "leaves nothing of a commit that opens a thread whose id is used", async (bench) => {
    const { store } = bench;
    await withThreads(bench);
    await store.commit(commitOf(alpha, 0, toOpen(childOf([alpha], child))), 1_500);
    const before = await everythingOf(store, family);
    const fresh = childOf([alpha], other, { entries: [user(0)], facts: [{ type: "state.changed", state: "idle" }] });
    const taken = [childOf([alpha], alpha), childOf([alpha], beta), childOf([alpha], child), fresh];
    for (const last of taken) {
      const commit = commitOf(alpha, 1, {
        entries: [user(0)],
        ...toOpen(fresh, last),
        sent: [envelopeOf(beta, "a"), envelopeOf(other, "a"), envelopeOf(alpha, "a")],
        record: recordOf({ turns: 9 }),
        facts: [{ type: "state.changed", state: "running" }],
      });
      await assert.rejects(store.commit(commit, 2_000), `${last.threadId} is used`);
      assert.deepEqual(await everythingOf(store, family), before, `nothing of it is visible (${last.threadId})`);
    }
    assert.deepEqual(statusesOf(await store.accept([deliver(beta, "a")], roomy)), ["accepted"], "no key was seen");
  }),

  requirement("S13", "leaves nothing of a commit whose entries clash, or those of a thread it opens", async (bench) => {
    const { store } = bench;
    await withThreads(bench);
    await store.commit(commitOf(alpha, 0, { entries: [user(1)] }), 1_500);
    const before = await everythingOf(store, family);
    const sent = [envelopeOf(beta, "a"), envelopeOf(child, "a")];
    const clashes = [
      { entries: [user(1)], ...toOpen(childOf([alpha], child)) },
      toOpen(childOf([alpha], child, { entries: [user(4), user(4)] })),
      toOpen(childOf([alpha], child), childOf([alpha], other, { entries: [user(7), user(8), user(7)] })),
    ];
    for (const clash of clashes) {
      await assert.rejects(store.commit(commitOf(alpha, 1, { sent, ...clash }), 2_000), "a position is taken");
      assert.deepEqual(await everythingOf(store, family), before);
    }
  }),

  requirement("S13", "finds what was sent again after it was opened anew", async (bench) => {
    const { store, reopen } = bench;
    await withThreads(bench);
    const sent = [envelopeOf(child, "a", { kind: "message", parent: alpha, text: "é" }), envelopeOf(beta, "b")];
    await store.commit(commitOf(alpha, 0, { sent, ...toOpen(childOf([alpha], child)) }), 2_000);
    const before = await everythingOf(store, family);
    assert.deepEqual(await everythingOf(await reopen(), family), before);
  }),
];
