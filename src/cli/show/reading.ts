import { callsOf, type PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Timer } from "../../../machines/thread/commit.ts";
import type { LeaseHolder, LoadedThread, SharedStore } from "../../store/store.ts";
import { runnerOf } from "../runner.ts";

/** A thread as it was after one of its commits, whatever another process commits while it is read. */
export interface Reading {
  readonly thread: LoadedThread;
  /** Of outstanding calls, soonest first. */
  readonly timers: readonly Timer[];
  /** Who runs the threads of the store; null: nobody. */
  readonly runner: LeaseHolder | null;
  /** When each outstanding call was made, ms since the epoch. */
  readonly since: ReadonlyMap<CallId, number>;
}

/** Tries to read timers between two commits; then those read last are taken, and one may be missing. */
const tries = 10;
/** Entries that are in memory at a time. */
const page = 200;

/** Undefined when there is no such thread. Takes no lease and changes nothing. */
export const readThread = async (store: SharedStore, threadId: ThreadId, now: number): Promise<Reading | undefined> => {
  const runner = await runnerOf(store, now);
  let thread = await store.load(threadId);
  for (let attempt = 1; thread; attempt++) {
    const timers = await store.timers({ after: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY, threadId });
    const again = await store.load(threadId);
    if (again?.version !== thread.version && attempt < tries) {
      thread = again;
      continue;
    }
    const outstanding = new Set(thread.calls.map(({ callId }) => callId));
    return {
      thread,
      timers: timers
        .filter(({ callId }) => callId === null || outstanding.has(callId))
        .map(({ threadId: _, ...timer }) => timer),
      runner,
      since: await sinceOf(store, thread),
    };
  }
  return undefined;
};

/** Outstanding calls are all of the last turn: only results stand between it and their places. */
const sinceOf = async (store: SharedStore, { threadId, calls }: LoadedThread): Promise<ReadonlyMap<CallId, number>> => {
  let to = Math.min(...calls.map(({ position }) => position));
  while (Number.isFinite(to) && to > 0) {
    const from = Math.max(0, to - page);
    const turn = (await store.history(threadId, { from, to })).findLast(({ entry }) => entry.kind === "turn")?.entry;
    if (turn?.kind === "turn") return new Map(callsOf(turn).map(({ callId }) => [callId, turn.at]));
    to = from;
  }
  return new Map();
};

/** Where the thread's own entries begin: a child has its parent's before. */
const beginning = ({ opening }: LoadedThread): number => opening?.position ?? 0;

/**
 * Entries that the thread has of its own: every position is taken but those of outstanding calls (R5). What answers, in a
 * child, calls that it inherits is not counted: it stands among its parent's entries.
 */
export const entriesIn = (thread: LoadedThread): number =>
  Math.max(0, thread.record.nextPosition - beginning(thread) - thread.calls.length);

/** Where the last `count` entries begin. */
const placeOfLast = (thread: LoadedThread, count: number): number => {
  const { record, calls } = thread;
  const open = new Set(calls.map(({ position }) => position));
  const begin = beginning(thread);
  let from = record.nextPosition;
  for (let missing = count; missing > 0 && from > begin; ) if (!open.has(--from)) missing -= 1;
  return from > begin ? from : 0;
};

/** The last `count` entries that the thread had when it was read, in pages; what was committed since is left out. */
export async function* lastEntries(
  store: SharedStore,
  thread: LoadedThread,
  count: number,
): AsyncGenerator<readonly PlacedEntry[]> {
  const outstanding = new Set(thread.calls.map(({ callId }) => callId));
  const end = thread.record.nextPosition;
  for (let from = placeOfLast(thread, count); from < end; from += page) {
    const entries = await store.history(thread.threadId, { from, to: Math.min(end, from + page) });
    yield entries.filter(({ entry }) => entry.kind !== "result" || !outstanding.has(entry.callId));
  }
}
