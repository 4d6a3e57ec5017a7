import type { EventSource, PlacedEntry } from "../history/entry.ts";
import type { CallId, ThreadId } from "../history/ids.ts";
import type { JsonObject } from "../history/json.ts";
import type { HistoryRepair } from "../history/repair.ts";
import type { CallForm, Failure, Retry, Usage } from "../round/turn.ts";
import type { Choice, View } from "./choice.ts";
import type { Fact } from "./facts.ts";
import type { Child, NewThread } from "./family.ts";
import type { Envelope } from "./input.ts";

/** How far a call got. `proposed`: it waits for approval. A result comes after all of these. */
export type CallStatus = "proposed" | "committed" | "started" | "acknowledged";

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
  /** What a wait says of itself in its result. */
  readonly note?: string;
  /** ms from its approval until the call is settled with an error; a call that needs none has its timer from the start. */
  readonly deadline?: number;
}

/** Work is in flight, or would be but for an approval: a call that waits for one is active, whatever its tool. */
export const isActive = ({ passive, status }: Pick<Call, "passive" | "status">): boolean =>
  !passive || status === "proposed";

/** A call whose first result said that events follow. Its id is the call's. */
export interface Subscription extends EventSource {
  /** How its producer is found again: `subscribe` runs in this process, `dispatch` is delivered by hand. */
  readonly form: CallForm;
  /** Dedup id of the last event that is in the history; where a producer goes on after a restart. */
  readonly lastEventId?: string;
}

/**
 * An instant (`due`, ms since the epoch) at which something happens to a call (`expiry`: its next question runs out), or to
 * the thread itself (`retry`: the model is asked again; `linger`: an event's child that nobody needs any more closes). A
 * call has at most one timer of each purpose, and so has the thread.
 */
export type Timer =
  | { readonly callId: CallId; readonly purpose: "wake" | "deadline" | "expiry"; readonly due: number }
  | { readonly callId: null; readonly purpose: "retry" | "linger"; readonly due: number };

/** The state a thread rests in, as `thread.state` names it; `running` while a slice is under way. */
export type ThreadState = "running" | "awaitingActiveCall" | "idlePassive" | "subscribed" | "idle" | "closed";

/** The thread is set aside, and does nothing. */
export interface Quarantine {
  readonly reason: "process-died" | "actor-failed";
  /** How often in a row that happened while the thread was at work. */
  readonly times: number;
  /** ms since the epoch. */
  readonly at: number;
  /** The last `seq` in the inbox then: a text of a person behind it releases the thread. */
  readonly upTo: number;
}

/** How much of a model's window a conversation takes, in tokens. */
export interface ContextSize {
  readonly tokens: number;
  /** Of the model that was asked; null where nobody knows it, and then there is no compaction by itself. */
  readonly window: number | null;
  /** How large it was when a summary failed last; null when none has. */
  readonly failedAt: number | null;
}

/** Text that stands in requests for everything below a position. */
export interface Summary {
  readonly upTo: number;
  readonly text: string;
}

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
  /** When an event's child that rests closes by itself, ms since the epoch. */
  readonly linger: number | null;
  readonly usage: Usage;
  /** Where the last turn stands in the history; null before the first. */
  readonly turnAt: number | null;
  /** What the last round read and wrote; null where that is not known, as right after a summary. */
  readonly context: ContextSize | null;
  /**
   * A request was refused for its length: the view below `upTo` is summarised, and the same is asked once more. `tried`: that
   * was done, and the next refusal counts.
   */
  readonly tooLong: { readonly upTo: number; readonly tried: boolean } | null;
  /** The latest summary covers the view below this position; null where the thread has none of its own. */
  readonly summary: number | null;
  /** Names of tools whose calls a person approved for good, in this thread. */
  readonly allowed: readonly string[];
  /** Stopped by its owner: deferrable inputs are discarded until user text resumes it. */
  readonly halted: boolean;
  /** How often in a row it was begun again after a process had died while it was at work. */
  readonly restarts: number;
  /** The life in which `restarts` was counted last: each counts once. */
  readonly countedIn: string | null;
  readonly quarantined: Quarantine | null;
  /**
   * The thread is to close. `report`: what its parent hears with its end. `told`: its children were, and it waits for the
   * last of them; what it was about is settled.
   */
  readonly closing: { readonly report: string | null; readonly told: boolean } | null;
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
  linger: null,
  usage: { inputTokens: 0, outputTokens: 0 },
  turnAt: null,
  context: null,
  tooLong: null,
  summary: null,
  allowed: [],
  halted: false,
  restarts: 0,
  countedIn: null,
  quarantined: null,
  closing: null,
  state: "idle",
};

/** Why an input that was accepted will never be in a history. */
export type DiscardReason =
  | "call-not-outstanding"
  | "call-already-answered"
  | "unknown-source"
  | "subscription-ended"
  | "not-due"
  /** The question was answered, ran out, was withdrawn, or never was. */
  | "choice-closed"
  /** There is a question of that id already. */
  | "choice-known"
  /** The question has no such choice. */
  | "no-such-choice"
  /** There is nothing to release. */
  | "not-quarantined"
  /** The thread, or the tree it is in, was stopped by its owner. */
  | "halted"
  /** The thread closes, or has closed. */
  | "closed";

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
  /** What a repair of the history changes in rows that are stored already; they are kept as they were. */
  readonly repair?: Pick<HistoryRepair, "entries" | "removed">;
  /** `seq`s that leave the inbox: in the history, acted on, handed to the application, or discarded. */
  readonly consumed: readonly number[];
  /** `seq`s of texts that cut a round short and stay in the inbox with that mark. */
  readonly interrupting: readonly number[];
  /** `approved`: proposed ones that are `committed` from now on. */
  readonly calls: {
    readonly made: readonly Call[];
    readonly settled: readonly CallId[];
    readonly approved?: readonly CallId[];
  };
  /** Those of settled calls are cleared by the store with the call. `moved`: answered ones as they are from now on. */
  readonly choices?: { readonly opened: readonly Choice[]; readonly moved: readonly Choice[] };
  /** Each takes the place of the one of its type. */
  readonly views?: readonly View[];
  /**
   * `moved`: active ones as they are from now on, each in the place it has. `cancelled`: those of `ended` whose source does
   * not know of it and is told to stop.
   */
  readonly subscriptions: {
    readonly opened: readonly Subscription[];
    readonly moved: readonly Subscription[];
    readonly ended: readonly CallId[];
    readonly cancelled?: readonly CallId[];
  };
  /** Timers of settled calls are cleared by the store with the call, the thread's own by every commit that has a record. */
  readonly timers: readonly Timer[];
  /** `moved`: open ones as they are from now on. `ended`: nothing is heard of them any more. */
  readonly children: {
    readonly opened: readonly NewThread[];
    readonly moved: readonly Child[];
    readonly ended: readonly ThreadId[];
  };
  /** The outbox: what this thread tells others, accepted there by this very commit, in this order, whatever waits there. */
  readonly sent: readonly Envelope[];
  /** Kept beside the entries, which stay. */
  readonly summary?: Summary;
  readonly record: ThreadRecord | null;
  /** What the feed gets, in this order. */
  readonly facts: readonly Fact[];
}
