import assert from "node:assert/strict";
import type fastCheck from "fast-check";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { Fact } from "../../../../machines/thread/facts.ts";
import type { Input } from "../../../../machines/thread/input.ts";
import {
  alpha,
  beta,
  callOf,
  commitOf,
  deliver,
  result,
  roomy,
  say,
  spec,
  statusesOf,
  turn,
  waitingIn,
} from "../material.ts";
import { type Bench, requirement } from "../requirement.ts";

const runs = { numRuns: 60 };
/**
 * fast-check and what is generated with it. It is loaded when a check runs, for it is an optional package: who takes only
 * the scripted model from `wakeful/testing` need not have it.
 */
const random = async () => {
  const { default: fc } = await import("fast-check");
  const thread = fc.constantFrom(alpha, beta);

  /** Few ids, senders and kinds, so that most inputs nearly meet another. */
  const input: fastCheck.Arbitrary<Input> = fc.oneof(
    fc.constantFrom("user", "slack").map((sender) => say("hello", sender)),
    fc.constantFrom("user", "slack").map((sender): Input => ({ kind: "interrupt", sender })),
    fc
      .constantFrom(1, 2)
      .map((number): Input => ({ kind: "progress", callId: callOf(alpha, number).callId, text: "half" })),
  );
  const delivery = fc.record({ threadId: thread, dedupId: fc.constantFrom("1", "2", "1 "), input });

  /** One thing that is done to a thread; `off` is how far a commit's version is from the right one. */
  const step = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("accept" as const),
        threadId: thread,
        count: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("commit" as const),
        threadId: thread,
        off: fc.constantFrom(0, 0, 0, -1, 1),
        consumes: fc.integer({ min: 0, max: 2 }),
        facts: fc.integer({ min: 0, max: 3 }),
      }),
    },
  );
  return { fc, delivery, step };
};

const withThreads = async (bench: Bench): Promise<Bench> => {
  await bench.store.create(alpha, spec, 1);
  await bench.store.create(beta, spec, 1);
  return bench;
};

const said = (message: string): Fact => ({ type: "failure", code: "TOOL_FAILED", message });

/** What a thread should hold, as a reader can hold it in mind. */
interface Expected {
  version: number;
  waiting: { dedupId: string; seq: number }[];
}

/** Sentences that begin with "whatever": S1 to S7 for random use. */
export const whatever = [
  requirement(
    "R2",
    "whatever arrives in whatever portions: each key once, in the order it came first",
    async (_, fresh) => {
      const { fc, delivery } = await random();
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(delivery, { maxLength: 4 }), { maxLength: 6 }), async (portions) => {
          const { store } = await withThreads(await fresh());
          const seen = new Set<string>();
          const waiting = new Map<ThreadId, string[]>([
            [alpha, []],
            [beta, []],
          ]);
          for (const portion of portions) {
            const deliveries = portion.map(({ threadId, dedupId, input }) => deliver(threadId, dedupId, input));
            const expected = deliveries.map(({ threadId, key, dedupId }) => {
              const own = `${threadId} ${key}`;
              if (seen.has(own)) return "duplicate";
              seen.add(own);
              waiting.get(threadId)?.push(dedupId);
              return "accepted";
            });
            assert.deepEqual(statusesOf(await store.accept(deliveries, roomy)), expected);
          }
          for (const [threadId, dedupIds] of waiting) assert.deepEqual(await waitingIn(store, threadId), dedupIds);
          assert.equal((await store.feed({ after: 0, limit: 100 })).length, seen.size);
        }),
        runs,
      );
    },
  ),

  requirement(
    "S3",
    "whatever is accepted and committed, for right versions and wrong ones: all of it or nothing",
    async (_, fresh) => {
      const { fc, step } = await random();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
          const { store, reopen } = await withThreads(await fresh());
          const expected = new Map<ThreadId, Expected>(
            [alpha, beta].map((threadId) => [threadId, { version: 0, waiting: [] }]),
          );
          const messages: string[] = [];
          for (const [at, step] of steps.entries()) {
            const { threadId } = step;
            const mine = expected.get(threadId) as Expected;
            if (step.do === "accept") {
              const given = Array.from({ length: step.count }, (_, index) => deliver(threadId, `${at}.${index}`));
              const acceptances = await store.accept(
                given.map((one) => ({ ...one, facts: [said(one.dedupId)] })),
                roomy,
              );
              for (const acceptance of acceptances) {
                assert(acceptance.status === "accepted");
                const { dedupId, seq } = acceptance.waiting;
                mine.waiting.push({ dedupId, seq });
                messages.push(dedupId);
              }
              continue;
            }
            const facts = Array.from({ length: step.facts }, (_, index) => said(`${at}/${index}`));
            const consumed = mine.waiting.slice(0, step.consumes).map(({ seq }) => seq);
            const outcome = await store.commit(commitOf(threadId, mine.version + step.off, { consumed, facts }), at);
            assert.equal(outcome.status, step.off === 0 ? "committed" : "stale");
            if (step.off !== 0) continue;
            mine.version++;
            mine.waiting.splice(0, step.consumes);
            messages.push(...facts.map((fact) => ("message" in fact ? fact.message : "")));
          }
          const again = await reopen();
          for (const [threadId, { version, waiting }] of expected) {
            const loaded = await again.load(threadId);
            assert.equal(loaded?.version, version);
            assert.deepEqual(
              loaded.inbox.map(({ dedupId, seq }) => ({ dedupId, seq })),
              waiting,
            );
          }
          const feed = await again.feed({ after: 0, limit: 1_000 });
          assert.deepEqual(
            feed.map((item) => ("message" in item ? item.message : item.type)),
            messages,
          );
        }),
        runs,
      );
    },
  ),

  requirement(
    "S5",
    "whatever the order in which results come: the history is ascending, and a range is a part of it",
    async (_, fresh) => {
      const { fc } = await random();
      const calls = [1, 2, 3, 4, 5].map((number) => callOf(alpha, number));
      const results = calls.map(({ callId, position }) => result(position, callId));
      const bound = fc.integer({ min: 0, max: 8 });
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray(results), bound, bound, async (order, from, to) => {
          const { store } = await withThreads(await fresh());
          const entries = [
            turn(
              1,
              calls.map(({ callId }) => callId),
            ),
          ];
          await store.commit(commitOf(alpha, 0, { entries, calls: { made: calls, settled: [] } }), 1_000);
          for (const [index, one] of order.entries())
            await store.commit(commitOf(alpha, index + 1, { entries: [one] }), 1_000);
          const all = [...entries, ...order].sort((a, b) => a.position - b.position);
          assert.deepEqual(await store.history(alpha), all);
          assert.deepEqual(
            await store.history(alpha, { from, to }),
            all.filter(({ position }) => from <= position && position < to),
          );
        }),
        runs,
      );
    },
  ),

  requirement(
    "S7",
    "whatever is set and settled: windows that follow each other list every timer once, in order",
    async (_, fresh) => {
      const { fc } = await random();
      const number = fc.integer({ min: 1, max: 4 });
      const change = fc.oneof(
        fc.record({
          number,
          purpose: fc.constantFrom("wake" as const, "deadline" as const),
          due: fc.integer({ min: 1, max: 9 }),
        }),
        fc.record({ number, settled: fc.constant(true) }),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { maxLength: 12 }),
          fc.integer({ min: 0, max: 9 }),
          async (changes, middle) => {
            const { store } = await withThreads(await fresh());
            const made = [1, 2, 3, 4].map((of) => callOf(alpha, of));
            await store.commit(commitOf(alpha, 0, { calls: { made, settled: [] } }), 1);
            const expected = new Map<string, number>();
            const settled = new Set<number>();
            let version = 1;
            for (const change of changes) {
              const { callId } = callOf(alpha, change.number);
              if (settled.has(change.number)) continue;
              if ("settled" in change) {
                settled.add(change.number);
                for (const purpose of ["wake", "deadline"]) expected.delete(`${callId} ${purpose}`);
                await store.commit(commitOf(alpha, version++, { calls: { made: [], settled: [callId] } }), 1);
              } else {
                expected.set(`${callId} ${change.purpose}`, change.due);
                await store.commit(
                  commitOf(alpha, version++, { timers: [{ callId, purpose: change.purpose, due: change.due }] }),
                  1,
                );
              }
            }
            const windows = [
              ...(await store.timers({ after: 0, until: middle })),
              ...(await store.timers({ after: middle, until: 9 })),
            ];
            const dues = [...expected.values()].sort((a, b) => a - b);
            assert.deepEqual(
              windows.map(({ due }) => due),
              dues,
            );
            assert.deepEqual(
              new Map(windows.map(({ callId, purpose, due }) => [`${callId} ${purpose}`, due])),
              expected,
            );
            assert.equal(
              await store.nextTimer(middle),
              dues.find((due) => due > middle),
            );
          },
        ),
        runs,
      );
    },
  ),
];
