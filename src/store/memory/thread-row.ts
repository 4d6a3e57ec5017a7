import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Choice, View } from "../../../machines/thread/choice.ts";
import {
  type Call,
  type CallStatus,
  newRecord,
  type Subscription,
  type ThreadCommit,
  type ThreadRecord,
} from "../../../machines/thread/commit.ts";
import type { Child, NewThread, Opening } from "../../../machines/thread/family.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";
import { StoreError } from "../../errors.ts";
import { openedChild } from "../opened-child.ts";
import type { Delivery, LoadedThread, RowSetAside, ThreadSpec, ThreadSummary } from "../store.ts";
import type { Passage } from "./feed-log.ts";
import { type IdList, idList } from "./id-list.ts";

/**
 * Everything of one thread, changed in place: an operation costs what it brings, whatever lies behind the thread. Values
 * are kept by reference, as the contract allows: who gave them does not change them.
 */
export interface ThreadRow {
  readonly threadId: ThreadId;
  /** A child's is the very object of its root (S14). */
  readonly spec: ThreadSpec;
  readonly opening: Opening | null;
  version: number;
  record: ThreadRecord;
  readonly calls: Map<CallId, Call>;
  readonly subscriptions: Map<CallId, Subscription>;
  /** By id, those of outstanding calls (S19). */
  readonly choices: Map<string, Choice>;
  /** By type (S19). */
  readonly views: Map<string, View>;
  /** Open ones (S15). */
  readonly children: Map<ThreadId, Child>;
  /** All threads that this one ever opened. */
  readonly offspring: IdList;
  /** By `seq`; a Map keeps the order of acceptance, also of an input that is marked as interrupting. */
  readonly inbox: Map<number, WaitingInput>;
  /** The `seq` of the last input that was accepted. */
  seq: number;
  /** Keys of all inputs that were ever accepted (R2). */
  readonly seen: Set<string>;
  /** By position, with holes where results are outstanding. */
  readonly history: (PlacedEntry | undefined)[];
  /** By the position they cover the view up to. */
  readonly summaries: Map<number, string>;
  /** Rows that repairs changed or took out, as they were. */
  readonly setAside: RowSetAside[];
  /** The thread's part of the feed. */
  readonly passages: Passage[];
}

export const newRow = (threadId: ThreadId, spec: ThreadSpec, opening: Opening | null = null): ThreadRow => ({
  threadId,
  spec,
  opening,
  version: 0,
  record: newRecord,
  calls: new Map(),
  subscriptions: new Map(),
  choices: new Map(),
  views: new Map(),
  children: new Map(),
  offspring: idList(),
  inbox: new Map(),
  seq: 0,
  seen: new Set(),
  history: [],
  summaries: new Map(),
  setAside: [],
  passages: [],
});

/** A thread that a commit of `parent` creates. It costs what it brings, not what its parent has behind it. */
export const childRow = (parent: ThreadRow, { threadId, opening, record, entries }: NewThread): ThreadRow => {
  const row = newRow(threadId, parent.spec, opening);
  row.record = record;
  addEntries(row, entries);
  return row;
};

export const addInput = (row: ThreadRow, { dedupId, input, at, key }: Delivery): WaitingInput => {
  const waiting: WaitingInput = { seq: ++row.seq, dedupId, input, at };
  row.seen.add(key);
  row.inbox.set(waiting.seq, waiting);
  return waiting;
};

const addEntries = ({ history }: ThreadRow, entries: readonly PlacedEntry[]): void => {
  for (const placed of entries) history[placed.position] = placed;
};

/** `taken`: whether a position has an entry already. Throws StoreError when an entry would take another's place (R5). */
const checkPlaces = (
  threadId: ThreadId,
  entries: readonly PlacedEntry[],
  taken: (position: number) => boolean = () => false,
): void => {
  const places = new Set<number>();
  for (const { position } of entries) {
    if (taken(position) || places.has(position))
      throw new StoreError(`position ${position} of thread ${threadId} has an entry already; the commit was not made.`);
    places.add(position);
  }
};

/** Throws StoreError when the commit cannot be made as a whole (S13). `used`: whether a thread has the id. */
export const checkCommit = (row: ThreadRow, commit: ThreadCommit, used: (threadId: ThreadId) => boolean): void => {
  checkPlaces(row.threadId, commit.entries, (position) => row.history[position] !== undefined);
  const opened = new Set<ThreadId>();
  for (const { threadId, entries } of commit.children.opened) {
    if (used(threadId) || opened.has(threadId))
      throw new StoreError(`there is a thread ${threadId} already; the commit that would open it was not made.`);
    opened.add(threadId);
    checkPlaces(threadId, entries);
  }
};

const repairRow = (row: ThreadRow, { entries, removed }: NonNullable<ThreadCommit["repair"]>, at: number): void => {
  for (const position of [...entries.map((placed) => placed.position), ...removed]) {
    const placed = row.history[position];
    if (placed) row.setAside.push({ position, stored: JSON.stringify(placed.entry), at });
    row.history[position] = undefined;
  }
  addEntries(row, entries);
};

/** What a commit that passed `checkCommit` changes in its own thread, but timers and facts. */
export const applyCommit = (row: ThreadRow, commit: ThreadCommit, at: number): void => {
  const { entries, consumed, interrupting, calls, subscriptions, choices, views = [], children, record } = commit;
  if (commit.summary) row.summaries.set(commit.summary.upTo, commit.summary.text);
  if (commit.repair) repairRow(row, commit.repair, at);
  addEntries(row, entries);
  for (const seq of consumed) row.inbox.delete(seq);
  for (const seq of interrupting) {
    const waiting = row.inbox.get(seq);
    if (waiting) row.inbox.set(seq, { ...waiting, interrupts: true });
  }
  for (const call of calls.made) row.calls.set(call.callId, call);
  for (const callId of calls.approved ?? []) approve(row, callId);
  for (const choice of [...(choices?.opened ?? []), ...(choices?.moved ?? [])])
    row.choices.set(choice.choiceId, choice);
  for (const view of views) row.views.set(view.viewType, view);
  for (const callId of calls.settled) row.calls.delete(callId);
  if (calls.settled.length > 0)
    for (const { choiceId, callId } of row.choices.values())
      if (calls.settled.includes(callId)) row.choices.delete(choiceId);
  for (const subscription of [...subscriptions.opened, ...subscriptions.moved])
    row.subscriptions.set(subscription.callId, subscription);
  for (const callId of subscriptions.ended) row.subscriptions.delete(callId);
  for (const child of children.opened) row.children.set(child.threadId, openedChild(child));
  for (const child of children.moved) if (row.children.has(child.threadId)) row.children.set(child.threadId, child);
  for (const threadId of children.ended) row.children.delete(threadId);
  if (record) row.record = record;
  row.version++;
};

/** By statuses, each further than the one before (S9). */
const order: readonly CallStatus[] = ["proposed", "committed", "started", "acknowledged"];

const approve = (row: ThreadRow, callId: CallId): void => moveCalls(row, [callId], "committed");

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
  choices,
  views,
  inbox,
  opening,
  children,
  seq,
}: ThreadRow): LoadedThread => ({
  threadId,
  spec,
  version,
  record,
  calls: [...calls.values()].sort((a, b) => a.position - b.position),
  subscriptions: [...subscriptions.values()],
  choices: [...choices.values()],
  views: [...views.values()].sort((a, b) => (a.viewType < b.viewType ? -1 : 1)),
  inbox: [...inbox.values()],
  opening,
  children: [...children.values()],
  acceptedUpTo: seq,
});

/**
 * Nothing is handed over for a built-in call: its commit is the act. An acknowledged one is with somebody else, a proposed
 * one with a person.
 */
const withOthers: ReadonlySet<CallStatus> = new Set(["acknowledged", "proposed"]);

const isDue = ({ record, calls, subscriptions }: ThreadRow): boolean =>
  record.roundDue ||
  calls.values().some(({ status, form }) => !withOthers.has(status) && form !== "builtin") ||
  subscriptions.values().some(({ form }) => form === "subscribe");

export const summaryOf = (row: ThreadRow): ThreadSummary => ({
  threadId: row.threadId,
  parent: row.opening?.parent ?? null,
  state: row.record.state,
  waiting: row.inbox.size,
  due: isDue(row),
  ...(row.record.quarantined && { quarantined: row.record.quarantined }),
  ...(row.record.restarts > 0 && { restarts: row.record.restarts }),
});
