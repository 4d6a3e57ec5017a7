import assert from "node:assert/strict";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import { callOf, commitOf, deliver, recordOf, roomy, seqsOf, spec, subscriptionOf } from "../material.ts";
import { type Bench, requirement } from "../requirement.ts";

const idOf = (name: string) => `suite/${name}` as ThreadId;

/** Ids in an order that is neither that of creation nor that of a dictionary: capitals come first, `/` before digits. */
const ids = ["suite/A", "suite/Z", "suite/a", "suite/a/1", "suite/a1", "suite/b"] as ThreadId[];

const createAll = async ({ store }: Bench) => {
  for (const index of [3, 0, 5, 1, 4, 2]) await store.create(ids[index] as ThreadId, spec, 1);
};

/** Which threads there are, and which have work: S10. */
export const listing = [
  requirement("S10", "lists threads by id, ascending by code units", async (bench) => {
    await createAll(bench);
    assert.deepEqual(
      (await bench.store.threads()).map(({ threadId }) => threadId),
      ids,
    );
  }),

  requirement("S10", "lists threads in pages of any size", async (bench) => {
    await createAll(bench);
    for (let limit = 1; limit <= 7; limit++) {
      const seen: ThreadId[] = [];
      for (;;) {
        const after = seen.at(-1);
        const page = await bench.store.threads({ limit, ...(after && { after }) });
        assert(page.length <= limit, "a page has at most `limit` threads");
        if (page.length === 0) break;
        seen.push(...page.map(({ threadId }) => threadId));
        assert(seen.length <= ids.length, "reading on behind the last id comes to an end");
      }
      assert.deepEqual(seen, ids, `pages of ${limit}`);
    }
    const behind = await bench.store.threads({ after: "suite/a0" as ThreadId, limit: 1 });
    assert.deepEqual(
      behind.map(({ threadId }) => threadId),
      ["suite/a1"],
      "`after` need not be a thread",
    );
  }),

  requirement("S10", "lists a thread that was created after an earlier list", async (bench) => {
    await createAll(bench);
    await bench.store.threads();
    await bench.store.create(idOf("Q"), spec, 1);
    assert.deepEqual(
      (await bench.store.threads({ limit: 3 })).map(({ threadId }) => threadId),
      ["suite/A", "suite/Q", "suite/Z"],
    );
  }),

  requirement("S10", "lists threads of one state, by what their last commit said", async ({ store }) => {
    for (const name of ["1", "2", "3"]) await store.create(idOf(name), spec, 1);
    await store.commit(commitOf(idOf("2"), 0, { record: recordOf({ state: "subscribed" }) }), 1_000);
    const listed = async (state: "idle" | "subscribed" | "closed") =>
      (await store.threads({ state })).map(({ threadId }) => threadId);
    assert.deepEqual(await listed("idle"), [idOf("1"), idOf("3")]);
    assert.deepEqual(await listed("subscribed"), [idOf("2")]);
    assert.deepEqual(await listed("closed"), []);
  }),

  requirement(
    "R1",
    "finds every thread to take up: inputs that wait, a slice that goes on, calls and producers of a process",
    async ({ store }) => {
      const names = ["builtin", "elsewhere", "inline", "inputs", "producer", "resting", "round", "run"];
      for (const name of names) await store.create(idOf(name), spec, 1);
      const make = (name: string, form: "builtin" | "inline" | "run") =>
        store.commit(
          commitOf(idOf(name), 0, { calls: { made: [callOf(idOf(name), 1, { form })], settled: [] } }),
          1_000,
        );
      for (const form of ["builtin", "inline", "run"] as const) await make(form, form);
      for (const [name, form] of [
        ["producer", "subscribe"],
        ["elsewhere", "dispatch"],
      ] as const) {
        const opened = [{ ...subscriptionOf(idOf(name), 1), form }];
        await store.commit(commitOf(idOf(name), 0, { subscriptions: { opened, moved: [], ended: [] } }), 1_000);
      }
      await store.commit(commitOf(idOf("round"), 0, { record: recordOf({ roundDue: true }) }), 1_000);
      const consumed = seqsOf(await store.accept([deliver(idOf("inputs"), "a"), deliver(idOf("inputs"), "b")], roomy));

      assert.deepEqual(
        (await store.threads()).map(({ threadId, waiting, due }) => [threadId, waiting, due]),
        names.map((name) => [
          idOf(name),
          name === "inputs" ? 2 : 0,
          ["inline", "producer", "round", "run"].includes(name),
        ]),
      );
      const withWork = async () => (await store.threads({ withWork: true })).map(({ threadId }) => threadId);
      assert.deepEqual(await withWork(), ["inline", "inputs", "producer", "round", "run"].map(idOf));

      await store.commit(commitOf(idOf("inputs"), 0, { consumed }), 2_000);
      const marked = [callOf(idOf("run"), 1).callId];
      await store.mark(idOf("run"), marked, "started");
      assert.ok((await withWork()).includes(idOf("run")), "a call at work in a process that may end");
      await store.mark(idOf("run"), marked, "acknowledged");
      await store.commit(
        commitOf(idOf("producer"), 1, {
          subscriptions: { opened: [], moved: [], ended: [subscriptionOf(idOf("producer"), 1).callId] },
        }),
        2_000,
      );
      assert.deepEqual(await withWork(), ["inline", "round"].map(idOf), "work that is done is no work");
    },
  ),

  requirement("S10", "tells which threads are set aside, and how often each was begun again", async ({ store }) => {
    for (const name of ["1", "2", "3"]) await store.create(idOf(name), spec, 1);
    const quarantined = { reason: "process-died", times: 4, at: 5, upTo: 2 } as const;
    await store.commit(commitOf(idOf("2"), 0, { record: recordOf({ restarts: 3, quarantined }) }), 1_000);
    await store.commit(commitOf(idOf("3"), 0, { record: recordOf({ restarts: 1 }) }), 1_000);
    const listed = async () =>
      (await store.threads()).map(({ quarantined: aside = null, restarts = 0 }) => [aside, restarts]);
    assert.deepEqual(await listed(), [
      [null, 0],
      [quarantined, 3],
      [null, 1],
    ]);
    await store.commit(commitOf(idOf("2"), 1, { record: recordOf() }), 2_000);
    assert.deepEqual((await listed())[1], [null, 0], "a release takes it back");
  }),

  requirement("S10", "narrows by work, state and page at once", async ({ store }) => {
    for (const name of ["1", "2", "3", "4"]) await store.create(idOf(name), spec, 1);
    await store.accept([deliver(idOf("1"), "a"), deliver(idOf("3"), "b"), deliver(idOf("4"), "c")], roomy);
    await store.commit(commitOf(idOf("3"), 0, { record: recordOf({ state: "subscribed" }) }), 1_000);
    const found = await store.threads({ withWork: true, state: "idle", after: idOf("1"), limit: 1 });
    assert.deepEqual(found, [{ threadId: idOf("4"), parent: null, state: "idle", waiting: 1, due: false }]);
  }),
];
