import type { PlacedEntry } from "../history/entry.ts";
import type { CallId, ThreadId } from "../history/ids.ts";
import type { RoundLimits } from "../round/turn.ts";
import type { Call, Subscription, ThreadCommit, ThreadRecord } from "./commit.ts";
import type { Fact } from "./facts.ts";
import type { EventInput, Input, ResultInput, TextInput, TimerInput, WaitingInput } from "./input.ts";

/** The bounds that the thread machine itself keeps. */
export interface ThreadLimits {
  /** Rounds since the last input from outside. */
  readonly rounds: number;
  /** Equal non-passive calls in a row within those. */
  readonly equalCalls: number;
  readonly subscriptions: number;
  /** Passed on to each round. */
  readonly round: RoundLimits;
}

/** What interrupted the calls that were outstanding when the slice began. */
export type Interruption = "text" | "control";

/** What the open slice has gathered since the last commit. */
export interface Slice {
  readonly interruption: Interruption | null;
  /** The slice goes on after an inline round: the round to come has no inputs of its own. */
  readonly goesOn: boolean;
  /** The number of the next try of the request, from 1: above 1 for one that was postponed. */
  readonly attempt: number;
  /** The inputs the slice began with, in the order of the batch. */
  readonly causes: readonly WaitingInput[];
  readonly entries: readonly PlacedEntry[];
  readonly consumed: readonly number[];
  readonly settled: readonly CallId[];
  readonly opened: readonly Subscription[];
  /** Active ones that were opened or had an event, as they are now. */
  readonly moved: readonly Subscription[];
  readonly ended: readonly Subscription[];
  readonly facts: readonly Fact[];
}

export const noSlice: Slice = {
  interruption: null,
  goesOn: false,
  attempt: 1,
  causes: [],
  entries: [],
  consumed: [],
  settled: [],
  opened: [],
  moved: [],
  ended: [],
  facts: [],
};

/** What a thread's actor keeps in its context: everything but the history. */
export interface Ledger {
  readonly threadId: ThreadId;
  readonly limits: ThreadLimits;
  /** Commits that were made, those under way included. */
  readonly version: number;
  readonly record: ThreadRecord;
  /** Outstanding calls, by position. */
  readonly calls: readonly Call[];
  readonly subscriptions: readonly Subscription[];
  /** Accepted, judged worth keeping, not yet in a batch; in the order of acceptance. */
  readonly inbox: readonly WaitingInput[];
  /** Inputs up to this `seq` were announced as deferred. */
  readonly announced: number;
  /** Calls and subscriptions that were at work in this process when the thread came into memory. */
  readonly working: readonly CallId[];
  /** Calls that the process died over and that are not begun again: settled with the next batch. */
  readonly lost: readonly CallId[];
  readonly slice: Slice;
  /** History and configuration are loaded, and nothing has changed since. */
  readonly configured: boolean;
  /** The latest instant that came with an event, ms since the epoch: the time of what the thread itself writes. */
  readonly now: number;
  /** The system stops: what is under way is brought to an end, and nothing begins any more. */
  readonly stopping: boolean;
  /** What the `commit` actor is given. */
  readonly commit: ThreadCommit | null;
}

/** What a machine is created with: the thread as the store has it. */
export type ThreadOrigin = Pick<
  Ledger,
  "threadId" | "limits" | "version" | "record" | "calls" | "subscriptions" | "inbox" | "working"
>;

export const ledgerOf = (origin: ThreadOrigin): Ledger => ({
  ...origin,
  announced: 0,
  lost: [],
  slice: noSlice,
  configured: false,
  now: 0,
  stopping: false,
  commit: null,
});

export type WaitingOf<I extends Input> = WaitingInput & { readonly input: I };

export const isText = (waiting: WaitingInput): waiting is WaitingOf<TextInput> => waiting.input.kind === "text";
export const isEvent = (waiting: WaitingInput): waiting is WaitingOf<EventInput> => waiting.input.kind === "event";
export const isRetry = ({ input }: WaitingInput): boolean => input.kind === "retry";
export const isControl = ({ input }: WaitingInput): boolean => input.kind === "interrupt";
/** A result or a timer: what settles a call. */
export const isAnswer = (waiting: WaitingInput): waiting is WaitingOf<ResultInput | TimerInput> =>
  waiting.input.kind === "result" || waiting.input.kind === "timer";
/** Text that interrupts, unless its sender asked it to wait (R6). */
export const isInterruptingText = ({ input }: WaitingInput): boolean =>
  input.kind === "text" && input.whileBusy === "interrupt";
/** What R4 holds back while an active call is outstanding. */
export const isDeferrable = ({ input }: WaitingInput): boolean =>
  input.kind === "event" || (input.kind === "text" && input.whileBusy === "wait");
/** From outside the thread's own work: it starts the count of rounds anew. */
export const isFromOutside = ({ input }: WaitingInput): boolean => input.kind === "text" || input.kind === "event";

type Answer = WaitingOf<ResultInput | TimerInput>;

/** An inbox is never changed, so what it holds is looked up once: the cost of a decision is one walk, not one a call. */
const answers = new WeakMap<readonly WaitingInput[], ReadonlyMap<CallId, Answer>>();

/** The result or due timer that waits for a call, undefined while it is unanswered. */
export const answerTo = ({ inbox }: Pick<Ledger, "inbox">, callId: CallId): Answer | undefined => {
  let known = answers.get(inbox);
  if (!known) {
    known = new Map(
      inbox
        .filter(isAnswer)
        .reverse()
        .map((answer) => [answer.input.callId, answer]),
    );
    answers.set(inbox, known);
  }
  return known.get(callId);
};

/** Calls that no result waits for, by position. */
export const unanswered = (ledger: Ledger): readonly Call[] =>
  ledger.calls.filter(({ callId }) => !ledger.lost.includes(callId) && !answerTo(ledger, callId));

export const hasActiveUnanswered = (ledger: Ledger): boolean => unanswered(ledger).some((call) => !call.passive);

/**
 * Dispatched and passive calls that are committed and not yet handed over. One whose deadline came first is over before
 * it began: its tool is not called.
 */
export const callsToHandOver = (ledger: Ledger): readonly Call[] =>
  unanswered(ledger).filter(({ form, status }) => status === "committed" && form !== "inline" && form !== "builtin");

/** Inline calls that are committed and have not run. */
export const inlineCalls = (ledger: Ledger): readonly Call[] =>
  unanswered(ledger).filter(({ form, status }) => status === "committed" && form === "inline");

/** The text of what the slice began with, for tools that ask what led to their call. */
export const messageOf = (causes: readonly WaitingInput[]): string =>
  causes
    .map(({ input }) => ("text" in input ? input.text : ""))
    .filter((text) => text !== "")
    .join("\n");
