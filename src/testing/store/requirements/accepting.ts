import assert from "node:assert/strict";
import { callIdOf, type ThreadId } from "../../../../machines/history/ids.ts";
import {
  alpha,
  beta,
  commitOf,
  deliver,
  everythingOf,
  recordOf,
  roomy,
  say,
  seqsOf,
  spec,
  statusesOf,
  waitingIn,
} from "../material.ts";
import { requirement } from "../requirement.ts";

/** How inputs get into an inbox: S1, S2, S4. */
export const accepting = [
  requirement(
    "S1",
    "answers each delivery of one accept, in the order given, with what it filed",
    async ({ store }) => {
      await store.create(alpha, spec, 1);
      await store.create(beta, spec, 1);
      const given = [deliver(alpha, "a"), deliver(beta, "b"), deliver(alpha, "c", say("see"), 2_000)];
      const acceptances = await store.accept(given, roomy);
      assert.deepEqual(statusesOf(acceptances), ["accepted", "accepted", "accepted"]);
      const filed = acceptances.map((acceptance) => acceptance.status === "accepted" && acceptance.waiting);
      const { inbox = [] } = (await store.load(alpha)) ?? {};
      assert.deepEqual([filed[0], filed[2]], inbox, "the acceptances name the inputs as the inbox has them");
      assert.deepEqual(
        inbox.map(({ dedupId, input, at }) => ({ dedupId, input, at })),
        [given[0], given[2]].map((delivery) => ({
          dedupId: delivery?.dedupId,
          input: delivery?.input,
          at: delivery?.at,
        })),
      );
    },
  ),

  requirement("S1", "names the input that waits right in front of another, where it names one", async ({ store }) => {
    await store.create(alpha, spec, 1);
    await store.create(beta, spec, 1);
    const accept = async (...ids: readonly string[]) => {
      const given = ids.flatMap((id) => [deliver(alpha, id), deliver(beta, id)]);
      return (await store.accept(given, roomy)).filter((_, index) => index % 2 === 0);
    };
    const [first, second] = await accept("a", "b");
    await store.commit(commitOf(alpha, 0, { consumed: seqsOf(first ? [first] : []) }), 2);
    const [third] = await accept("c");
    await store.commit(commitOf(alpha, 1, { consumed: seqsOf([second, third].flatMap((one) => one ?? [])) }), 3);
    const [fourth] = await accept("d");
    const seqOf = (acceptance = first) => (acceptance?.status === "accepted" ? acceptance.waiting.seq : undefined);
    for (const [acceptance, before] of [
      [first, undefined],
      [second, seqOf(first)],
      [third, seqOf(second)],
      [fourth, undefined],
    ] as const) {
      const behind = acceptance?.status === "accepted" ? acceptance.behind : undefined;
      if (behind !== undefined) assert.equal(behind, before);
    }
  }),

  requirement("S1", "has not read what it accepts later, where it says how far it has read", async ({ store }) => {
    await store.create(alpha, spec, 1);
    await store.create(beta, spec, 1);
    for (const id of ["a", "b", "c"]) {
      const { acceptedUpTo = 0 } = (await store.load(alpha)) ?? {};
      const seqs = seqsOf(await store.accept([deliver(beta, id), deliver(alpha, id)], roomy));
      assert.ok(seqs.every((seq, index) => index === 0 || seq > acceptedUpTo));
    }
  }),

  requirement("S1", "refuses an input for a thread that does not exist, and creates nothing", async ({ store }) => {
    assert.deepEqual(statusesOf(await store.accept([deliver(alpha, "a")], roomy)), ["unknown-thread"]);
    const seen = await everythingOf(store);
    assert.deepEqual(seen, { threads: [undefined, undefined], histories: [[], []], feed: [], timers: [], list: [] });
  }),

  requirement("S1", "takes the others of an accept in which one is refused", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const given = [deliver(alpha, "a"), deliver("suite/nobody" as ThreadId, "b"), deliver(alpha, "c")];
    assert.deepEqual(statusesOf(await store.accept(given, roomy)), ["accepted", "unknown-thread", "accepted"]);
    assert.deepEqual(await waitingIn(store, alpha), ["a", "c"]);
  }),

  requirement("S1", "answers an accept without deliveries, and changes nothing", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const before = await everythingOf(store);
    assert.deepEqual(await store.accept([], roomy), []);
    assert.deepEqual(await everythingOf(store), before);
  }),

  requirement(
    "S1",
    "refuses what an inbox has no room for, never drops, and takes it once there is room",
    async ({ store }) => {
      await store.create(alpha, spec, 1);
      await store.create(beta, spec, 1);
      const tight = { inboxLimit: 2 };
      const given = [deliver(alpha, "a"), deliver(alpha, "b"), deliver(alpha, "c"), deliver(beta, "d")];
      const acceptances = await store.accept(given, tight);
      assert.deepEqual(statusesOf(acceptances), ["accepted", "accepted", "inbox-full", "accepted"]);
      assert.deepEqual(await waitingIn(store, alpha), ["a", "b"]);
      assert.equal((await store.feed({ after: 0, limit: 10 })).length, 3, "a refused delivery leaves no fact");
      await store.commit(commitOf(alpha, 0, { consumed: seqsOf(acceptances).slice(0, 1) }), 2_000);
      const again = await store.accept([deliver(alpha, "c")], tight);
      assert.deepEqual(statusesOf(again), ["accepted"], "a refused key counts as unseen");
      assert.deepEqual(await waitingIn(store, alpha), ["b", "c"]);
    },
  ),

  requirement("R9", "takes what ends a wait into a full inbox", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const tight = { inboxLimit: 1 };
    const call = callIdOf(alpha, 1, 0);
    const given = [
      deliver(alpha, "a"),
      deliver(alpha, "r", { kind: "result", callId: call, content: [], origin: "tool" }),
      deliver(alpha, "t", { kind: "timer", callId: call, purpose: "wake", due: 1 }),
      deliver(alpha, "i", { kind: "interrupt", sender: "user" }),
      deliver(alpha, "b"),
    ];
    const statuses = statusesOf(await store.accept(given, tight));
    assert.deepEqual(statuses, ["accepted", "accepted", "accepted", "accepted", "inbox-full"]);
  }),

  requirement("S1", "refuses inputs for a thread that is closed", async ({ store }) => {
    await store.create(alpha, spec, 1);
    await store.accept([deliver(alpha, "a")], roomy);
    await store.commit(commitOf(alpha, 0, { record: recordOf({ state: "closed" }) }), 2_000);
    const late = await store.accept([deliver(alpha, "b"), deliver(alpha, "a")], roomy);
    assert.deepEqual(statusesOf(late), ["thread-closed", "duplicate"]);
  }),

  requirement("S2", "takes a key once, within one accept and over several", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const first = await store.accept([deliver(alpha, "a"), deliver(alpha, "a", say("in other words"))], roomy);
    assert.deepEqual(statusesOf(first), ["accepted", "duplicate"]);
    const before = await everythingOf(store);
    assert.deepEqual(statusesOf(await store.accept([deliver(alpha, "a")], roomy)), ["duplicate"]);
    assert.deepEqual(await everythingOf(store), before, "a duplicate changes nothing, in the feed neither");
  }),

  requirement("S2", "knows a key after its input was consumed", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const consumed = seqsOf(await store.accept([deliver(alpha, "a")], roomy));
    await store.commit(commitOf(alpha, 0, { consumed }), 2_000);
    assert.deepEqual(statusesOf(await store.accept([deliver(alpha, "a")], roomy)), ["duplicate"]);
    assert.deepEqual(await waitingIn(store, alpha), []);
  }),

  requirement("R2", "tells a full inbox's redelivery that it is a duplicate", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const tight = { inboxLimit: 1 };
    await store.accept([deliver(alpha, "a")], tight);
    const again = await store.accept([deliver(alpha, "a"), deliver(alpha, "b")], tight);
    assert.deepEqual(statusesOf(again), ["duplicate", "inbox-full"]);
  }),

  requirement("R2", "keeps apart equal dedup ids of other threads, kinds and senders", async ({ store }) => {
    await store.create(alpha, spec, 1);
    await store.create(beta, spec, 1);
    const given = [
      deliver(alpha, "1"),
      deliver(beta, "1"),
      deliver(alpha, "1", say("1", "slack")),
      deliver(alpha, "1", { kind: "interrupt", sender: "user" }),
      deliver(alpha, "1 "),
    ];
    assert.deepEqual(new Set(statusesOf(await store.accept(given, roomy))), new Set(["accepted"]));
  }),

  requirement("S4", "numbers the inputs of a thread upwards, and never gives a number again", async ({ store }) => {
    await store.create(alpha, spec, 1);
    const seqs = seqsOf(await store.accept([deliver(alpha, "a"), deliver(alpha, "b")], roomy));
    await store.commit(commitOf(alpha, 0, { consumed: seqs }), 2_000);
    seqs.push(...seqsOf(await store.accept([deliver(alpha, "c")], roomy)));
    assert.deepEqual(
      [...new Set(seqs)].sort((a, b) => a - b),
      seqs,
    );
  }),
];
