import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import {
  type Call,
  type CallStatus,
  newRecord,
  type Subscription,
  type ThreadCommit,
  type ThreadRecord,
} from "../../../machines/thread/commit.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";
import { StoreError } from "../../errors.ts";
import type { Delivery, LoadedThread, ThreadSpec, ThreadSummary } from "../store.ts";
import type { Passage } from "./feed-log.ts";

/**
 * Everything of one thread, changed in place: an operation costs what it brings, whatever lies behind the thread. Values
 * are kept by reference, as the contract allows: who gave them does not change them.
 */
export interface ThreadRow {
  readonly threadId: ThreadId;
  readonly spec: ThreadSpec;
  version: number;
  record: ThreadRecord;
  readonly calls: Map<CallId, Call>;
  readonly subscriptions: Map<CallId, Subscription>;
  /** By `seq`; a Map keeps the order of acceptance, also of an input that is marked as interrupting. */
  readonly inbox: Map<number, WaitingInput>;
  /** The `seq` of the last input that was accepted. */
  seq: number;
  /** Keys of all inputs that were ever accepted (R2). */
  readonly seen: Set<string>;
  /** By position, with holes where results are outstanding. */
  readonly history: (PlacedEntry | undefined)[];
  /** The thread's part of the feed. */
  readonly passages: Passage[];
}

export const newRow = (threadId: ThreadId, spec: ThreadSpec): ThreadRow => ({
  threadId,
  spec,
  version: 0,
  record: newRecord,
  calls: new Map(),
  subscriptions: new Map(),
  inbox: new Map(),
  seq: 0,
  seen: new Set(),
  history: [],
  passages: [],
});

export const addInput = (row: ThreadRow, { dedupId, input, at, key }: Delivery): WaitingInput => {
  const waiting: WaitingInput = { seq: ++row.seq, dedupId, input, at };
  row.seen.add(key);
  row.inbox.set(waiting.seq, waiting);
  return waiting;
};

/** Throws StoreError, before anything is changed, when an entry would take another's place (R5). */
const checkPlaces = ({ threadId, history }: ThreadRow, { entries }: ThreadCommit): void => {
  const places = new Set<number>();
  for (const { position } of entries) {
    if (history[position] || places.has(position))
      throw new StoreError(`position ${position} of thread ${threadId} has an entry already; the commit was not made.`);
    places.add(position);
  }
};

/** All of a commit but its timers and facts. Throws StoreError, with nothing changed, when a position is taken. */
export const applyCommit = (row: ThreadRow, commit: ThreadCommit): void => {
  checkPlaces(row, commit);
  const { entries, consumed, interrupting, calls, subscriptions, record } = commit;
  for (const placed of entries) row.history[placed.position] = placed;
  for (const seq of consumed) row.inbox.delete(seq);
  for (const seq of interrupting) {
    const waiting = row.inbox.get(seq);
    if (waiting) row.inbox.set(seq, { ...waiting, interrupts: true });
  }
  for (const call of calls.made) row.calls.set(call.callId, call);
  for (const callId of calls.settled) row.calls.delete(callId);
  for (const subscription of [...subscriptions.opened, ...subscriptions.moved])
    row.subscriptions.set(subscription.callId, subscription);
  for (const callId of subscriptions.ended) row.subscriptions.delete(callId);
  if (record) row.record = record;
  row.version++;
};

const order: readonly CallStatus[] = ["committed", "started", "acknowledged"];

export const moveCalls = (row: ThreadRow, calls: readonly CallId[], status: CallStatus): void => {
  for (const callId of calls) {
    const call = row.calls.get(callId);
    if (call && order.indexOf(call.status) < order.indexOf(status)) row.calls.set(callId, { ...call, status });
  }
};

export const entriesBetween = ({ history }: ThreadRow, from: number, to: number): PlacedEntry[] => {
  const entries: PlacedEntry[] = [];
  for (let position = Math.max(0, from); position < Math.min(to, history.length); position++) {
    const placed = history[position];
    if (placed) entries.push(placed);
  }
  return entries;
};

export const loadedOf = ({
  threadId,
  spec,
  version,
  record,
  calls,
  subscriptions,
  inbox,
}: ThreadRow): LoadedThread => ({
  threadId,
  spec,
  version,
  record,
  calls: [...calls.values()].sort((a, b) => a.position - b.position),
  subscriptions: [...subscriptions.values()],
  inbox: [...inbox.values()],
});

/** Nothing is handed over for a built-in call: its commit is the act. An acknowledged one is with somebody else. */
const isDue = ({ record, calls, subscriptions }: ThreadRow): boolean =>
  record.roundDue ||
  calls.values().some(({ status, form }) => status !== "acknowledged" && form !== "builtin") ||
  subscriptions.values().some(({ form }) => form === "subscribe");

export const summaryOf = (row: ThreadRow): ThreadSummary => ({
  threadId: row.threadId,
  state: row.record.state,
  waiting: row.inbox.size,
  due: isDue(row),
});
