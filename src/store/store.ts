import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import type { JsonObject } from "../../machines/history/json.ts";
import type { StoredRow } from "../../machines/history/stored-row.ts";
import type { Usage } from "../../machines/round/turn.ts";
import type { Choice, View } from "../../machines/thread/choice.ts";
import type {
  Call,
  CallStatus,
  Quarantine,
  Subscription,
  ThreadCommit,
  ThreadRecord,
  ThreadState,
  Timer,
} from "../../machines/thread/commit.ts";
import type { Fact, FeedItem } from "../../machines/thread/facts.ts";
import type { Child, Opening } from "../../machines/thread/family.ts";
import type { Input, WaitingInput } from "../../machines/thread/input.ts";

/** A row of a history as it was before a repair took it out or changed it; `stored` is its text in the store. */
export interface RowSetAside {
  readonly position: number;
  readonly stored: string;
  /** The instant of the repair, ms since the epoch. */
  readonly at: number;
}

/** What the application said when it launched a thread; stored as it is and never changed. */
export interface ThreadSpec {
  /** Names of the tools the thread has beside those every thread gets. */
  readonly tools: readonly string[];
  readonly instructions: string;
  readonly metadata: JsonObject;
}

/** An envelope that passed the door, with what the store needs to file it. */
export interface Delivery {
  readonly threadId: ThreadId;
  readonly dedupId: string;
  /** `dedupKeyOf(envelope)`; R2 compares this within the thread. */
  readonly key: string;
  readonly input: Input;
  /** The instant of acceptance, ms since the epoch. */
  readonly at: number;
  /** What the feed gets when the delivery is accepted, in this order. */
  readonly facts: readonly Fact[];
}

/**
 * `accepted`: durable, waits in the inbox. `duplicate`: the thread has seen the key, nothing changed. `refused`: not
 * accepted, nothing changed, the key counts as unseen. `feed` is the position of the first of the delivery's facts.
 * `behind`: the `seq` of the input that waits right in front of it; left out where none does, and by a store that does not
 * say. Where it is there, a thread that was not told of that one yet reads its inbox before it goes on (R3).
 */
export type Acceptance =
  | { readonly status: "accepted"; readonly waiting: WaitingInput; readonly feed: number; readonly behind?: number }
  | { readonly status: "duplicate" }
  | { readonly status: "refused"; readonly reason: "unknown-thread" | "inbox-full" | "thread-closed" };

/** Everything of a thread but its history. */
export interface LoadedThread {
  readonly threadId: ThreadId;
  readonly spec: ThreadSpec;
  /** Commits so far. */
  readonly version: number;
  readonly record: ThreadRecord;
  /** Outstanding calls, by position. */
  readonly calls: readonly Call[];
  /** In the order they were opened. */
  readonly subscriptions: readonly Subscription[];
  /** Questions of outstanding calls, in the order they were opened, answered ones too. */
  readonly choices: readonly Choice[];
  /** The latest of each type, by type. */
  readonly views: readonly View[];
  /** In the order of acceptance. */
  readonly inbox: readonly WaitingInput[];
  /** Null for a root. */
  readonly opening: Opening | null;
  /** Open ones, in the order they were opened. */
  readonly children: readonly Child[];
  /**
   * The `seq` of an input up to which all were accepted before this was read: what is not in `inbox` of them was consumed
   * (R2). Left out by a store that does not say.
   */
  readonly acceptedUpTo?: number;
}

/**
 * `committed`: visible as a whole; `feed` is the position of the first fact, `sent` has an acceptance for each envelope of
 * the outbox. `stale`: nothing changed.
 */
export type CommitOutcome =
  | {
      readonly status: "committed";
      readonly version: number;
      readonly feed: number;
      readonly sent: readonly Acceptance[];
    }
  | { readonly status: "stale"; readonly version: number };

export interface ThreadSummary {
  readonly threadId: ThreadId;
  /** Null for a root. */
  readonly parent: ThreadId | null;
  readonly state: ThreadState;
  /** Inputs in the inbox. */
  readonly waiting: number;
  /**
   * Whoever runs the threads has to take this one up: its record says that a slice goes on, a call was made that nobody
   * else has acknowledged, or a subscription has its producer in a process.
   */
  readonly due: boolean;
  /** Why and since when it is set aside; left out when it is not. */
  readonly quarantined?: Quarantine;
  /** How often in a row it was begun again after a death; left out when never. */
  readonly restarts?: number;
}

/**
 * Keeps threads. Requirements, numbered for the shared suite:
 * S1. `accept` is atomic and in the order given; what it acknowledges survives whatever the store says it survives.
 * S2. A key is accepted once in the life of a thread (R2), also after its input was consumed or discarded.
 * S3. `commit` applies all of a commit or nothing, and only when `expectedVersion` is the thread's version.
 * S4. Inputs wait in the order of acceptance until a commit consumes them (R1, R3).
 * S5. `history` is ascending by position, whatever the order of the commits.
 * S6. The feed has every fact once, in commit order, with positions that only grow.
 * S7. A settled call takes its timers and its questions with it.
 * S8. A thread is created once; what it was created with never changes.
 * S9. A call's status only moves forward, until the call is settled.
 * S10. `threads` lists each thread once, by id, with what waits there, and what its record says of deaths.
 * S11. After `close` every call but `close` rejects.
 * S12. Timers of the thread itself (without a call) go with the next commit that has a record; that may set them anew.
 * S13. A commit creates its new threads and files its outbox as one with everything else: all of it or nothing. Filed
 *      envelopes pass no inbox limit; what is sent to a thread that this very commit creates is filed there. A key that was
 *      seen is a `duplicate`, a thread that is unknown or closed refuses, and the commit stands all the same.
 * S14. A child has the spec of the thread that opened it, and its opening; both never change. Its own entries are all that
 *      `history` gives; what it inherits is its parent's.
 * S15. `load` lists the open children of a thread, as the last commit that named each said.
 * S19. `load` lists the questions of outstanding calls as the last commit that named each said; a call that was approved is
 *      `committed`. Of the views of one type there is the latest, also after the thread closed.
 * S20. The repair of a commit puts its entries in the place of what is stored at their positions, and takes out what it
 *      names. What was stored there before is what `setAside` gives.
 * S21. The summary of a commit is kept beside the history, for the position it covers, as long as the thread.
 * S22. `treeUsage` is the sum of the usage in the records of a root and of all threads below it, open and closed, as the last
 *      commit of each left it.
 * Values that go in are not changed afterwards by the caller, those that come out not by the reader.
 */
export interface Store {
  /** Makes a thread. False, and nothing changed, when the id is used already. */
  create(threadId: ThreadId, spec: ThreadSpec, at: number): Promise<boolean>;
  /**
   * One acceptance for each delivery, in order; a refused one does not touch the others. An inbox takes at most
   * `roomFor(input, inboxLimit)` inputs when one comes. A key that was seen is a `duplicate` also when the inbox is full or
   * the thread is closed.
   */
  accept(deliveries: readonly Delivery[], limits: { readonly inboxLimit: number }): Promise<readonly Acceptance[]>;
  /** Undefined when there is no such thread. */
  load(threadId: ThreadId): Promise<LoadedThread | undefined>;
  /** Entries with `from <= position < to`; defaults: all. Empty for a thread that does not exist. */
  history(
    threadId: ThreadId,
    range?: { readonly from?: number; readonly to?: number },
  ): Promise<readonly PlacedEntry[]>;
  /**
   * The thread's own history as it is stored, ascending by position, with rows that do not read as an entry; `history` gives
   * of those what can be read. Left out by a store in which every row reads.
   */
  rows?(threadId: ThreadId, range?: { readonly from?: number }): Promise<readonly StoredRow[]>;
  /**
   * The text of the thread's summary that covers its view up to `upTo`; undefined when there is none. Left out by a store that
   * keeps none: its threads are not compacted.
   */
  summary?(threadId: ThreadId, upTo: number): Promise<string | undefined>;
  /** Rows as they were before repairs, the first set aside first. Left out by a store that keeps none. */
  setAside?(threadId: ThreadId): Promise<readonly RowSetAside[]>;
  /** Rejects, with nothing changed, for a thread that does not exist and for a position that has an entry already. */
  commit(commit: ThreadCommit, at: number): Promise<CommitOutcome>;
  /**
   * What a root and all threads below it have used; nothing of a thread that does not exist. Left out by a store that does
   * not count, on which no tree has a budget.
   */
  treeUsage?(root: ThreadId): Promise<Usage>;
  /** Moves calls to a status; calls that are settled or further already are left alone. One write for all. */
  mark(threadId: ThreadId, calls: readonly CallId[], status: CallStatus): Promise<void>;
  /** Timers with `after < due <= until`, soonest first; they stay until their call is settled. `threadId` narrows. */
  timers(query: {
    readonly after: number;
    readonly until: number;
    readonly threadId?: ThreadId;
  }): Promise<readonly (Timer & { readonly threadId: ThreadId })[]>;
  /** The soonest due instant after `after`, undefined when there is none. */
  nextTimer(after: number): Promise<number | undefined>;
  /** Facts with `feed > after`, ascending, at most `limit`; `threadId` narrows to one thread. */
  feed(query: {
    readonly after: number;
    readonly limit: number;
    readonly threadId?: ThreadId;
  }): Promise<readonly FeedItem[]>;
  /**
   * Threads by id, ascending by code units, from behind `after`. `withWork` narrows to those with inputs that wait or that
   * are `due`; what is left in them when a process ends has to begin again. A `builtin` call makes no thread due, and neither
   * does a `proposed` one: nothing is handed over for it.
   */
  threads(query?: {
    readonly state?: ThreadState;
    /** Narrows to the children of one thread, open and closed; null to roots. */
    readonly parent?: ThreadId | null;
    readonly withWork?: boolean;
    readonly after?: ThreadId;
    readonly limit?: number;
  }): Promise<readonly ThreadSummary[]>;
  /** Idempotent. Calls after it reject. */
  close(): Promise<void>;
}

/** `isAbandoned`: another had it before, who never gave it back; its process may have died. */
export type LeaseOutcome =
  | { readonly held: true; readonly until: number; readonly isAbandoned?: true }
  | {
      readonly held: false;
      readonly by: string;
      readonly until: number;
      /** The lease in the way, where it is not the one that was asked for. */
      readonly name?: string;
    };

export interface LeaseHolder {
  readonly by: string;
  /** ms since the epoch. */
  readonly until: number;
}

/** What several processes on one store need beside the contract. */
export interface SharedStore extends Store {
  /**
   * Takes or renews the lease `name` for `holder`, until `now + ttl` (ms since the epoch, ms). Held by another: who, and
   * until when at the latest. A lease that ran out is anybody's. An end that lies further off than the holder's own ttl
   * comes from a clock that was set back since; it is shortened to that ttl from `now`.
   *
   * `runner` is held for all threads, `thread/<id>` for one: while one of the latter is held the former is not to be had, and
   * the other way round. Taking one takes away those of the other kind that ran out.
   *
   * Through a store that took a lease and lost it to another, `commit` answers `stale`, `mark` rejects, and the holder is told
   * that the lease is not held, also when that other is gone again: a process that was paused may not know yet, and what it
   * has in memory is out of date. It gives the lease back first, and may take it anew. That holds for all threads where the
   * lease is `runner`, and for the one thread where it is `thread/<id>`; other names guard no thread.
   */
  lease(name: string, holder: string, ttl: number, now: number): Promise<LeaseOutcome>;
  /** Gives the lease back; does nothing when `holder` does not have it. */
  release(name: string, holder: string): Promise<void>;
  /**
   * Who holds the lease `name` at `now`, and until when at the latest, as `lease` would tell another; undefined when it is
   * free. Changes nothing.
   */
  holder(name: string, now: number): Promise<LeaseHolder | undefined>;
  /**
   * What was accepted since, by this process and by others: the threads with inputs that still wait, by id, and the cursor
   * for the next call. Without a cursor: no threads, and the cursor of now. Take that before `threads({ withWork: true })`,
   * and nothing falls in between. Cheap when there is nothing new; made for polling.
   */
  acceptedAfter(cursor?: number): Promise<{ readonly cursor: number; readonly threads: readonly ThreadId[] }>;
}

export const isShared = (store: Store): store is SharedStore =>
  "lease" in store && "release" in store && "holder" in store && "acceptedAfter" in store;
