import type { PlacedEntry } from "../history/entry.ts";
import type { CallId, ThreadId } from "../history/ids.ts";
import type { RoundLimits } from "../round/turn.ts";
import type { TreeUse } from "./budget.ts";
import type { Choice } from "./choice.ts";
import { type Call, isActive, type Subscription, type ThreadCommit, type ThreadRecord } from "./commit.ts";
import type { Fact } from "./facts.ts";
import type { Child, NewThread, Opening, SummaryPlace } from "./family.ts";
import type {
  AnswerInput,
  EndedInput,
  Envelope,
  EventInput,
  Input,
  ResultInput,
  TextInput,
  TimerInput,
  WaitingInput,
} from "./input.ts";
import type { RetryAfter } from "./outage.ts";

/** The bounds that the thread machine itself keeps. */
export interface ThreadLimits {
  /** Rounds since the last input from outside. */
  readonly rounds: number;
  /** Equal non-passive calls in a row within those. */
  readonly equalCalls: number;
  readonly subscriptions: number;
  /** Spawned children that are open at once. */
  readonly children: number;
  /** Threads between a thread and its root, itself included. */
  readonly depth: number;
  /** Events of one subscription that are handled in children at once. */
  readonly eventChildrenAtOnce: number;
  /** ms that an event's child stays idle before it closes by itself. */
  readonly eventChildLinger: number;
  /** ms that a call waits for approval. */
  readonly approval: number;
  /** How often in a row a thread is begun again after the process died while it was at work; then it is set aside. */
  readonly restarts: number;
  /** Passed on to each round. */
  readonly round: RoundLimits;
  /** When a request is asked again whose tries are used up; without it the thread rests until somebody writes. */
  readonly retryAfter?: RetryAfter;
}

/** What interrupted the calls that were outstanding when the slice began. */
export type Interruption = "text" | "control" | "halt" | "close";

/** What the open slice has gathered since the last commit. */
export interface Slice {
  readonly interruption: Interruption | null;
  /** The slice goes on after an inline round: the round to come has no inputs of its own. */
  readonly goesOn: boolean;
  /** The number of the next try of the request, from 1: above 1 for one that was postponed. */
  readonly attempt: number;
  /** How often in a row all tries of the request failed before this slice. */
  readonly givenUp: number;
  /** The inputs the slice began with, in the order of the batch. */
  readonly causes: readonly WaitingInput[];
  readonly entries: readonly PlacedEntry[];
  readonly consumed: readonly number[];
  readonly settled: readonly CallId[];
  readonly opened: readonly Subscription[];
  /** Active ones that were opened or had an event, as they are now. */
  readonly moved: readonly Subscription[];
  readonly ended: readonly Subscription[];
  /** Those of `ended` that are told to stop. */
  readonly cancelled: readonly Subscription[];
  readonly bornChildren: readonly NewThread[];
  /** Open ones that came to rest. */
  readonly movedChildren: readonly Child[];
  readonly endedChildren: readonly Child[];
  readonly sent: readonly Envelope[];
  readonly facts: readonly Fact[];
}

export const noSlice: Slice = {
  interruption: null,
  goesOn: false,
  attempt: 1,
  givenUp: 0,
  causes: [],
  entries: [],
  consumed: [],
  settled: [],
  opened: [],
  moved: [],
  ended: [],
  cancelled: [],
  bornChildren: [],
  movedChildren: [],
  endedChildren: [],
  sent: [],
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
  /** Questions of outstanding calls, in the order they were opened. */
  readonly choices: readonly Choice[];
  /** How the thread began; null for a root. */
  readonly opening: Opening | null;
  /** Open ones, in the order they were opened. */
  readonly children: readonly Child[];
  /** Ids of new threads begin with this; nothing else in any process makes the same. */
  readonly freshId: string;
  /** Children this actor has made. */
  readonly born: number;
  /** Accepted, judged worth keeping, not yet in a batch; in the order of acceptance. */
  readonly inbox: readonly WaitingInput[];
  /** Inputs up to this `seq` were announced as deferred. */
  readonly announced: number;
  /** Calls and subscriptions that were at work in this process when the thread came into memory. */
  readonly working: readonly CallId[];
  /** Calls that the process died over and that are not begun again: settled with the next batch. */
  readonly lost: readonly CallId[];
  readonly slice: Slice;
  /** What the thread had its last life from, and may have died over; null where that was ended in order. */
  readonly death: Death | null;
  /** The configuration is asked for again at the start of each slice. */
  readonly configuresEachSlice: boolean;
  /** History and configuration are loaded, and nothing has changed since. */
  readonly configured: boolean;
  /** What is in memory of the history begins before a summary: it is read anew, with the configuration that there is. */
  readonly reread: boolean;
  /** Tokens that the thread's model takes, null where nobody knows. */
  readonly window: number | null;
  /** Its store keeps summaries: without that there are none. */
  readonly keepsSummaries: boolean;
  /** What a summary under way covers; null when none is. */
  readonly compaction: Compaction | null;
  /** As it was when the slice began; null where the tree has no budget. */
  readonly tree: TreeUse | null;
  /** The latest instant that came with an event, ms since the epoch: the time of what the thread itself writes. */
  readonly now: number;
  /** The system stops: what is under way is brought to an end, and nothing begins any more. */
  readonly stopping: boolean;
  /** What is under way is brought to its end, and no round begins after it. */
  readonly leaving: boolean;
  /** What the `commit` actor is given. */
  readonly commit: ThreadCommit | null;
}

/** A summary under way: of the view from the summary before, or its beginning, up to a position. */
export interface Compaction {
  readonly upTo: number;
  /** Somebody asked for it. */
  readonly byHand: boolean;
  /** Characters of the request; a summary has fewer. 0 before it is put together. */
  readonly size: number;
}

/** How the last life of a thread ended, and when the one that follows began, ms since the epoch. */
export interface Death {
  readonly of: "process" | "actor";
  readonly at: number;
  /** Names the life that follows; never the same twice. */
  readonly life: string;
}

/** What a machine is created with: the thread as the store has it. */
export type ThreadOrigin = Pick<
  Ledger,
  | "threadId"
  | "limits"
  | "version"
  | "record"
  | "calls"
  | "subscriptions"
  | "choices"
  | "inbox"
  | "working"
  | "opening"
  | "children"
  | "freshId"
> &
  Partial<Pick<Ledger, "configuresEachSlice" | "announced" | "now" | "death" | "keepsSummaries">>;

export const ledgerOf = (origin: ThreadOrigin): Ledger => ({
  ...origin,
  born: 0,
  announced: origin.announced ?? 0,
  lost: [],
  slice: noSlice,
  death: origin.death ?? null,
  configuresEachSlice: origin.configuresEachSlice ?? false,
  configured: false,
  reread: false,
  window: null,
  keepsSummaries: origin.keepsSummaries ?? true,
  compaction: null,
  tree: null,
  now: origin.now ?? 0,
  stopping: false,
  leaving: false,
  commit: null,
});

export type WaitingOf<I extends Input> = WaitingInput & { readonly input: I };

export const isText = (waiting: WaitingInput): waiting is WaitingOf<TextInput> => waiting.input.kind === "text";
export const isEvent = (waiting: WaitingInput): waiting is WaitingOf<EventInput> => waiting.input.kind === "event";
/** An event that is handled in a child. */
export const isThreaded = (waiting: WaitingInput): waiting is WaitingOf<EventInput> =>
  waiting.input.kind === "event" && !waiting.input.associative;
export const isEnded = (waiting: WaitingInput): waiting is WaitingOf<EndedInput> => waiting.input.kind === "ended";
export const isRetry = ({ input }: WaitingInput): boolean => input.kind === "retry";
/** The thread above goes on. */
export const isResume = ({ input }: WaitingInput): boolean => input.kind === "resume";
/** A person lets a thread go on that was set aside. */
export const isRelease = ({ input }: WaitingInput): boolean => input.kind === "release";
/** A person wants the conversation summarised. */
export const isCompact = ({ input }: WaitingInput): boolean => input.kind === "compact";
/** A person stops what is going on, without a word. */
export const isInterrupt = ({ input }: WaitingInput): boolean => input.kind === "interrupt";
export const isHalt = ({ input }: WaitingInput): boolean => input.kind === "halt";
/** The thread is to end: it was told so, or it has lingered for long enough. */
export const isClose = ({ input }: WaitingInput): boolean => input.kind === "close" || input.kind === "linger";
/** What stops work without being part of a batch. */
export const isControl = (waiting: WaitingInput): boolean =>
  isInterrupt(waiting) || isHalt(waiting) || isClose(waiting);
/** Not acted on without a word: whoever sent it misses it when the thread closes, as who waits for a summary does. */
export const leavesATrace = (waiting: WaitingInput): boolean =>
  !isControl(waiting) && !["rested", "resume", "retry", "release"].includes(waiting.input.kind);
/** A result, a timer, or what denies an approval: what settles a call. */
export const isAnswer = (waiting: WaitingInput): waiting is Answer => answering.has(waiting.input.kind);
const answering: ReadonlySet<Input["kind"]> = new Set(["result", "timer", "answer"]);
/** Text that interrupts, unless its sender asked it to wait (R6). */
export const isInterruptingText = ({ input }: WaitingInput): boolean =>
  input.kind === "text" && input.whileBusy === "interrupt";
const deferrable: ReadonlySet<Input["kind"]> = new Set(["event", "report", "ended", "message"]);
/** What R4 holds back while an active call is outstanding. */
export const isDeferrable = ({ input }: WaitingInput): boolean =>
  deferrable.has(input.kind) || (input.kind === "text" && input.whileBusy === "wait");
/**
 * From outside the thread's tree: it starts the count of rounds anew. What threads tell each other does not, so that they
 * cannot keep each other going for ever.
 */
export const isFromOutside = (waiting: WaitingInput): boolean =>
  isText(waiting) || (isEvent(waiting) && !isThreaded(waiting));

type Answer = WaitingOf<ResultInput | TimerInput | AnswerInput>;

/** The call that an answer settles; the question of an approval has the id of its call. */
export const settledBy = ({ input }: Answer): CallId =>
  input.kind === "answer" ? (input.choiceId as CallId) : input.callId;

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
        .map((answer) => [settledBy(answer), answer]),
    );
    answers.set(inbox, known);
  }
  return known.get(callId);
};

/** Calls that no result waits for, by position. */
export const unanswered = (ledger: Ledger): readonly Call[] =>
  ledger.calls.filter(({ callId }) => !ledger.lost.includes(callId) && !answerTo(ledger, callId));

export const hasActiveUnanswered = (ledger: Ledger): boolean => unanswered(ledger).some(isActive);

/**
 * Dispatched and passive calls that are committed and not yet handed over. One whose deadline came first is over before
 * it began: its tool is not called.
 */
export const callsToHandOver = (ledger: Ledger): readonly Call[] =>
  unanswered(ledger).filter(({ form, status }) => status === "committed" && form !== "inline" && form !== "builtin");

/** Inline calls that are committed and have not run. */
export const inlineCalls = (ledger: Ledger): readonly Call[] =>
  unanswered(ledger).filter(({ form, status }) => status === "committed" && form === "inline");

/** Inline calls that a process died over and that are not begun again. */
export const lostInline = ({ calls, lost }: Ledger): readonly CallId[] =>
  calls.flatMap(({ callId, form }) => (form === "inline" && lost.includes(callId) ? [callId] : []));

/** The text of what the slice began with, for tools that ask what led to their call. */
export const messageOf = (causes: readonly WaitingInput[]): string =>
  causes
    .map(({ input }) => ("text" in input ? input.text : ""))
    .filter((text) => text !== "")
    .join("\n");

/** The summary in force: the thread's own latest, or the one it began with; null where there is none. */
export const summaryOf = ({
  threadId,
  record,
  opening,
}: {
  readonly threadId: ThreadId;
  readonly record: Pick<ThreadRecord, "summary">;
  readonly opening: Opening | null;
}): SummaryPlace | null =>
  record.summary === null ? (opening?.summary ?? null) : { of: threadId, upTo: record.summary };

/** The summary that a child of the thread begins with. */
export const inherited = (ledger: Ledger): Pick<Opening, "summary"> => {
  const summary = summaryOf(ledger);
  return summary ? { summary } : {};
};
