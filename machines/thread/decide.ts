import type { CallId } from "../history/ids.ts";
import type { RoundOutput } from "../round/turn.ts";
import { hasRoomFor } from "./event-children.ts";
import type { WaitingInput } from "./input.ts";
import {
  callsToHandOver,
  hasActiveUnanswered,
  type Interruption,
  inlineCalls,
  isAnswer,
  isClose,
  isCompact,
  isControl,
  isDeferrable,
  isEnded,
  isEvent,
  isFromOutside,
  isHalt,
  isInterrupt,
  isInterruptingText,
  isRetry,
  isText,
  isThreaded,
  type Ledger,
  lostInline,
  noSlice,
  unanswered,
} from "./ledger.ts";

/** The questions that the chart's guards ask. Each looks at record and inbox only, so live and on load agree. */

export const bringsInterruption = (inputs: readonly WaitingInput[]): boolean =>
  inputs.some((input) => isInterruptingText(input) || isControl(input));

/** The thread is to close, and what it was about is not settled yet. */
export const closeWaits = ({ inbox, record }: Ledger): boolean =>
  record.closing ? !record.closing.told : inbox.some(isClose);

/** The last child has ended, or there was none: nothing can reach the thread any more. */
export const isClosed = ({ record }: Ledger): boolean => record.state === "closed";

export const haltWaits = ({ inbox }: Ledger): boolean => inbox.some(isHalt);

/**
 * A person stops work: an active call is outstanding and unanswered, a slice would go on with another round, or a request
 * waits to be made again.
 */
export const stopWaits = (ledger: Ledger): boolean =>
  ledger.inbox.some(isInterrupt) &&
  (hasActiveUnanswered(ledger) || ledger.record.roundDue || ledger.record.retry !== null);

/** A stop came behind something that waits: what that would begin is stopped before it has begun. */
export const stopFollows = (ledger: Ledger): boolean => {
  const first = ledger.inbox.find((input) => rouses(ledger, input));
  return (
    first !== undefined &&
    !hasActiveUnanswered(ledger) &&
    ledger.inbox.some((input) => isInterrupt(input) && input.seq > first.seq)
  );
};

export const controlWaits = (ledger: Ledger): boolean => ledger.inbox.some(isInterrupt);

/** The user writes while work is in flight (R6). A call whose result is there already is not interrupted. */
export const textInterrupts = (ledger: Ledger): boolean =>
  hasActiveUnanswered(ledger) && ledger.inbox.some(isInterruptingText);

/** The model has results to read before anything else, unless the user wrote meanwhile. */
export const roundIsDue = (ledger: Ledger): boolean => ledger.record.roundDue && !ledger.inbox.some(isInterruptingText);

/** What changes the thread and is not heard by the model. */
const isNote: ReadonlySet<WaitingInput["input"]["kind"]> = new Set(["rested", "resume", "release", "compact"]);

/**
 * The model is asked about it. The rest is handled without a round: a non-associative event opens a child, the end of an
 * event's child is heard only when it reports, and what lost its source while it waited is discarded. A halted thread is
 * roused by the user alone.
 */
export const rouses = (ledger: Ledger, waiting: WaitingInput): boolean => {
  const { kind } = waiting.input;
  if (isControl(waiting) || isThreaded(waiting) || isNote.has(kind)) return false;
  if (ledger.record.closing) return false;
  if (ledger.record.halted) return isText(waiting) || isAnswer(waiting);
  if (isEvent(waiting)) return hasSource(ledger, waiting.input.callId);
  return !isEnded(waiting) || waiting.input.report !== null || kindOfChild(ledger, waiting.input.child) === "spawned";
};

/** The subscription is active, or its call may still open it. */
const hasSource = ({ subscriptions, calls }: Ledger, id: CallId): boolean =>
  [...subscriptions, ...calls].some(({ callId }) => callId === id);

const kindOfChild = ({ children }: Ledger, child: string) => children.find(({ threadId }) => threadId === child)?.kind;

/** Something waits that a slice can begin with, and no active call holds it back (R4). */
export const batchWaits = (ledger: Ledger): boolean =>
  !hasActiveUnanswered(ledger) && (ledger.lost.length > 0 || ledger.inbox.some((input) => rouses(ledger, input)));

/** An inline call was lost beside an active one that goes on: it is settled, so that the record says what the thread rests in. */
export const lossWaits = (ledger: Ledger): boolean => hasActiveUnanswered(ledger) && lostInline(ledger).length > 0;

/** Something waits that a slice without a round takes care of now; passive calls sleep on. */
export const quietWaits = (ledger: Ledger): boolean =>
  !hasActiveUnanswered(ledger) && ledger.inbox.some((input) => isQuietlyTaken(ledger, input));

/** An event waits on for as long as others of its subscription have all the places. */
export const isQuietlyTaken = (ledger: Ledger, waiting: WaitingInput): boolean => {
  if (isControl(waiting) || isCompact(waiting) || rouses(ledger, waiting)) return false;
  if (ledger.record.halted && isEvent(waiting)) return true;
  return !isThreaded(waiting) || hasRoomFor(ledger, waiting.input.callId);
};

/** Set aside: nothing is begun. One that closes hears its children all the same, and ends. */
export const isSetAside = ({ record }: Ledger): boolean => record.quarantined !== null && !record.closing;

export const handsOver = (ledger: Ledger): boolean => !isSetAside(ledger) && callsToHandOver(ledger).length > 0;

export const callsInline = (ledger: Ledger): boolean => !isSetAside(ledger) && inlineCalls(ledger).length > 0;

/** The next start begins a slice: what the last one took was not committed, or something waits. */
export const leavesWork = (ledger: Ledger): boolean =>
  ledger.slice.consumed.length > 0 ||
  (!isClosed(ledger) && closeWaits(ledger)) ||
  haltWaits(ledger) ||
  (!isSetAside(ledger) && goesOnBySelf(ledger));

const goesOnBySelf = (ledger: Ledger): boolean =>
  handsOver(ledger) ||
  callsInline(ledger) ||
  stopWaits(ledger) ||
  textInterrupts(ledger) ||
  roundIsDue(ledger) ||
  batchWaits(ledger) ||
  lossWaits(ledger) ||
  quietWaits(ledger);

/** A round may begin: nobody stopped the slice, the count of rounds allows it, and there is something to read. */
export const mayAsk = (ledger: Ledger): boolean => {
  if (ledger.inbox.some(isControl)) return false;
  if (ledger.record.rounds >= ledger.limits.rounds && !ledger.inbox.some(isFromOutside)) return false;
  if (ledger.slice.interruption === "control")
    return ledger.inbox.some((input) => !isAnswer(input) && !isRetry(input) && rouses(ledger, input));
  return ledger.slice.goesOn || ledger.lost.length > 0 || ledger.inbox.some((input) => rouses(ledger, input));
};

/**
 * The stop of the system cut a round that had shown nothing, and no input cut it too: its inputs are left in the inbox,
 * and the next start asks them again.
 */
export const isUnheard = (ledger: Ledger, { outcome, blocks }: RoundOutput): boolean =>
  ledger.stopping && outcome === "cut" && blocks.length === 0 && !bringsInterruption(ledger.inbox);

/** The slice begins by interrupting what is outstanding; an interrupt without text has done its work with that. */
export const beginInterruption = (ledger: Ledger, interruption: Interruption): Ledger => ({
  ...ledger,
  inbox: interruption === "control" ? ledger.inbox.filter((input) => !isInterrupt(input)) : ledger.inbox,
  slice: {
    ...noSlice,
    interruption,
    goesOn: false,
    consumed: interruption === "control" ? ledger.inbox.filter(isInterrupt).map(({ seq }) => seq) : [],
  },
});

/** Outstanding calls that nothing answers: they are told to stop. */
export const callsToStop = (ledger: Ledger): readonly CallId[] =>
  unanswered(ledger)
    .filter(({ status }) => status !== "proposed")
    .map(({ callId }) => callId);

/** Deferrable inputs that were not announced yet. */
export const newlyDeferred = (ledger: Ledger): readonly WaitingInput[] =>
  ledger.inbox.filter((input) => input.seq > ledger.announced && isDeferrable(input));
