import type { EventSource, PlacedEntry } from "../history/entry.ts";
import type { CallId, ThreadId } from "../history/ids.ts";
import type { JsonObject } from "../history/json.ts";
import type { CallForm, Failure, Retry, Usage } from "../round/turn.ts";
import type { Fact } from "./facts.ts";

/** How far a call got. `proposed` (waits for approval) comes before these, a result after them. */
export type CallStatus = "committed" | "started" | "acknowledged";

/** An outstanding call, as the record keeps it until its result is committed. */
export interface Call {
  readonly callId: CallId;
  readonly providerCallId: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly display?: string;
  /** Where its result belongs in the history. */
  readonly position: number;
  readonly form: CallForm;
  readonly passive: boolean;
  readonly onRestart: "again" | "fail";
  readonly status: CallStatus;
}

/** A call whose first result said that events follow. Its id is the call's. */
export interface Subscription extends EventSource {
  /** How its producer is found again: `subscribe` runs in this process, `dispatch` is delivered by hand. */
  readonly form: CallForm;
  /** Dedup id of the last event that is in the history; where a producer goes on after a restart. */
  readonly lastEventId?: string;
}

/**
 * An instant (`due`, ms since the epoch) at which something happens to a call, or to the thread itself (`retry`: the model
 * is asked again). A call has at most one timer of each purpose, and so has the thread.
 */
export type Timer =
  | { readonly callId: CallId; readonly purpose: "wake" | "deadline"; readonly due: number }
  | { readonly callId: null; readonly purpose: "retry"; readonly due: number };

/** The state a thread rests in, as `thread.state` names it; `running` while a slice is under way. */
export type ThreadState = "running" | "awaitingActiveCall" | "idlePassive" | "subscribed" | "idle" | "closed";

/** What the record keeps of a thread beside calls, subscriptions, timers, inbox and history. */
export interface ThreadRecord {
  /** The position the next entry gets. */
  readonly nextPosition: number;
  /** Turns that were stored. */
  readonly turns: number;
  /** Rounds since the last input from outside (text or event), over slices and restarts. */
  readonly rounds: number;
  /** The last non-passive call that was made, and how often in a row. */
  readonly repeated: { readonly call: string; readonly times: number } | null;
  /** The slice goes on with another round that has no inputs of its own: results wait to be read by the model. */
  readonly roundDue: boolean;
  readonly lastFailure: Failure | null;
  /** The request to the model that is to be made again; the thread rests until then. */
  readonly retry: Retry | null;
  readonly usage: Usage;
  /** The state that the record alone implies; the live thread may already run again. */
  readonly state: ThreadState;
}

export const newRecord: ThreadRecord = {
  nextPosition: 0,
  turns: 0,
  rounds: 0,
  repeated: null,
  roundDue: false,
  lastFailure: null,
  retry: null,
  usage: { inputTokens: 0, outputTokens: 0 },
  state: "idle",
};

/** Why an input that was accepted will never be in a history. */
export type DiscardReason =
  | "call-not-outstanding"
  | "call-already-answered"
  | "unknown-source"
  | "subscription-ended"
  | "retry-not-due";

/**
 * One transaction on one thread: everything in it becomes visible together or not at all. Plain data that the thread
 * machine put together. A commit made inside a slice has `record`; one made beside it (a discard, something handed to
 * the application) has none and leaves the record as it is.
 */
export interface ThreadCommit {
  readonly threadId: ThreadId;
  /** Commits this thread had before; the store refuses any other number as stale. */
  readonly expectedVersion: number;
  /** Ascending by position, except that results of the last turn may stand before entries that are stored already. */
  readonly entries: readonly PlacedEntry[];
  /** `seq`s that leave the inbox: in the history, acted on, handed to the application, or discarded. */
  readonly consumed: readonly number[];
  /** `seq`s of texts that cut a round short and stay in the inbox with that mark. */
  readonly interrupting: readonly number[];
  readonly calls: { readonly made: readonly Call[]; readonly settled: readonly CallId[] };
  /** `moved`: active ones as they are from now on, each in the place it has. */
  readonly subscriptions: {
    readonly opened: readonly Subscription[];
    readonly moved: readonly Subscription[];
    readonly ended: readonly CallId[];
  };
  /** Timers of settled calls are cleared by the store with the call, the thread's own by every commit that has a record. */
  readonly timers: readonly Timer[];
  readonly record: ThreadRecord | null;
  /** What the feed gets, in this order. */
  readonly facts: readonly Fact[];
}
