import assert from "node:assert/strict";
import type fastCheck from "fast-check";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { ThreadCommit } from "../../../../machines/thread/commit.ts";
import type { Fact } from "../../../../machines/thread/facts.ts";
import type { Child, NewThread } from "../../../../machines/thread/family.ts";
import type { Store } from "../../../store/store.ts";
import { childOf, commitOf, deliver, envelopeOf, recordOf, roomy, spec, statusesOf, user } from "../material.ts";
import { requirement } from "../requirement.ts";

/** Few names, so that most commits nearly meet what is there: taken, closed, unknown. The first two are roots. */
const names = ["r/0", "r/1", "c/2", "c/3", "c/4", "c/5"] as ThreadId[];
/** Loaded when the check runs, as in `whatever.ts`. */
const random = async () => {
  const { default: fc } = await import("fast-check");
  const name = fc.constantFrom(...names);
  const envelope = fc.record({ threadId: name, dedupId: fc.constantFrom("1", "2", "3") });

  /** One commit, by whichever thread of that name there is by then; `off` is how far its version is from the right one. */
  const commit = fc.record({
    by: name,
    off: fc.constantFrom(0, 0, 0, 0, 1, -1),
    opened: fc.array(fc.record({ threadId: name, entries: fc.integer({ min: 0, max: 2 }), clash: fc.nat(9) }), {
      maxLength: 2,
    }),
    rests: fc.boolean(),
    ends: fc.boolean(),
    closes: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
    sent: fc.array(envelope, { maxLength: 3 }),
  });
  const step = fc.oneof(
    { weight: 3, arbitrary: commit },
    { weight: 1, arbitrary: fc.array(envelope, { maxLength: 3 }) },
  );
  return { fc, step };
};

/** What a thread should hold, as a reader can hold it in mind. */
interface Expected {
  readonly above: readonly ThreadId[];
  readonly positions: readonly number[];
  readonly seen: Set<string>;
  readonly waiting: string[];
  readonly facts: string[];
  children: Child[];
  version: number;
  closed: boolean;
}
type Threads = Map<ThreadId, Expected>;

const expectedOf = (above: readonly ThreadId[], positions: readonly number[] = []): Expected => ({
  above,
  positions,
  seen: new Set(),
  waiting: [],
  facts: [],
  children: [],
  version: 0,
  closed: false,
});

const said = (message: string): Fact => ({ type: "failure", code: "TOOL_FAILED", message });

/** Files an input in what is expected, and says what the store should answer. */
const file = (threads: Threads, threadId: ThreadId, dedupId: string): string => {
  const thread = threads.get(threadId);
  if (!thread) return "unknown-thread";
  if (thread.seen.has(dedupId)) return "duplicate";
  if (thread.closed) return "thread-closed";
  thread.seen.add(dedupId);
  thread.waiting.push(dedupId);
  thread.facts.push(`accepted ${dedupId}`);
  return "accepted";
};

type Step =
  Awaited<ReturnType<typeof random>>["step"] extends fastCheck.Arbitrary<infer One>
    ? Exclude<One, readonly unknown[]>
    : never;

const openedBy = ({ by, opened }: Step, thread: Expected | undefined, at: number): NewThread[] =>
  opened.map(({ threadId, entries, clash }) => {
    const positions = Array.from({ length: entries }, (_, index) => (clash === 0 ? 4 : 4 + index));
    return childOf([...(thread?.above ?? []), by], threadId, {
      entries: positions.map((position) => user(position)),
      facts: [said(`opened ${at}`)],
    });
  });

const changesOf = ({ rests, ends }: Step, opened: readonly NewThread[], first: Child | undefined) => ({
  opened,
  moved: rests && first ? [{ ...first, rested: true }] : [],
  ended: ends && first ? [first.threadId] : [],
});

/** Whether an id is used, or a position taken. */
const clashes = (opened: readonly NewThread[], threads: Threads): boolean => {
  const ids = opened.map(({ threadId }) => threadId);
  return (
    ids.some((id, index) => threads.has(id) || ids.indexOf(id) < index) ||
    opened.some(({ entries }) => new Set(entries.map(({ position }) => position)).size < entries.length)
  );
};

/** What the commit changes in its thread and in those it opens, if it is made. */
const foresee = (threads: Threads, thread: Expected, given: ThreadCommit, at: number): void => {
  const { opened, moved, ended } = given.children;
  thread.version++;
  thread.closed ||= given.record !== null;
  thread.facts.push(`committed ${at}`);
  for (const { threadId, opening, entries } of opened) {
    thread.children.push({ threadId, kind: opening.kind, source: opening.source, rested: false });
    const positions = entries.map(({ position }) => position);
    threads.set(threadId, { ...expectedOf(opening.stack, positions), facts: [`opened ${at}`] });
  }
  thread.children = thread.children
    .map((child) => moved.find(({ threadId }) => threadId === child.threadId) ?? child)
    .filter(({ threadId }) => !ended.includes(threadId));
};

const take = async (store: Store, threads: Threads, step: Step, at: number): Promise<void> => {
  const thread = threads.get(step.by);
  const opened = openedBy(step, thread, at);
  const given = commitOf(step.by, (thread?.version ?? 0) + step.off, {
    children: changesOf(step, opened, thread?.children[0]),
    facts: [said(`committed ${at}`)],
    sent: step.sent.map(({ threadId, dedupId }) => envelopeOf(threadId, dedupId)),
    record: step.closes ? recordOf({ state: "closed" }) : null,
  });
  if (!thread || (step.off === 0 && clashes(opened, threads))) {
    await assert.rejects(store.commit(given, at));
    return;
  }
  const outcome = await store.commit(given, at);
  assert.equal(outcome.status, step.off === 0 ? "committed" : "stale");
  if (outcome.status === "stale") return;
  foresee(threads, thread, given, at);
  const statuses = step.sent.map(({ threadId, dedupId }) => file(threads, threadId, dedupId));
  assert.deepEqual(statusesOf(outcome.sent), statuses);
};

const compare = async (store: Store, threadId: ThreadId, expected: Expected): Promise<void> => {
  const loaded = await store.load(threadId);
  const entries = await store.history(threadId);
  const feed = await store.feed({ after: 0, limit: 100, threadId });
  const seen = {
    version: loaded?.version,
    above: loaded?.opening?.stack ?? [],
    children: loaded?.children,
    waiting: loaded?.inbox.map(({ dedupId }) => dedupId),
    positions: entries.map(({ position }) => position),
    facts: feed.map((item) => ("message" in item ? item.message : "dedupId" in item && `accepted ${item.dedupId}`)),
  };
  const { seen: _keys, closed, ...rest } = expected;
  assert.deepEqual(seen, rest, `of ${threadId}`);
  assert.equal(loaded?.record.state, closed ? "closed" : "idle");
  assert.deepEqual(loaded.spec, spec);
};

/** Families that grow in any way: S13, S14, S15, S10. */
export const families = [
  requirement(
    "S13",
    "whatever threads open, send, end and close, for free ids and taken ones: all of a commit or nothing",
    async (_, fresh) => {
      const { fc, step } = await random();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
          const { store, reopen } = await fresh();
          const roots = names.slice(0, 2);
          for (const root of roots) await store.create(root, spec, 1);
          const threads: Threads = new Map(roots.map((root) => [root, expectedOf([])]));
          for (const [at, step] of steps.entries()) {
            if (!Array.isArray(step)) {
              await take(store, threads, step, at);
              continue;
            }
            const given = step.map(({ threadId, dedupId }) => deliver(threadId, dedupId));
            const statuses = step.map(({ threadId, dedupId }) => file(threads, threadId, dedupId));
            assert.deepEqual(statusesOf(await store.accept(given, roomy)), statuses);
          }
          const again = await reopen();
          const listed = async (query: Parameters<Store["threads"]>[0]) =>
            (await again.threads(query)).map(({ threadId }) => threadId);
          const ids = [...threads.keys()].sort();
          assert.deepEqual(await listed({}), ids);
          assert.deepEqual(await listed({ parent: null }), roots);
          for (const [threadId, expected] of threads) {
            await compare(again, threadId, expected);
            const children = ids.filter((id) => threads.get(id)?.above.at(-1) === threadId);
            assert.deepEqual(await listed({ parent: threadId }), children);
          }
        }),
        { numRuns: 100 },
      );
    },
  ),
];
