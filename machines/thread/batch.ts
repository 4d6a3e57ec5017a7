import type { CallId } from "../history/ids.ts";
import { isQuietlyTaken } from "./decide.ts";
import { hasRoomFor } from "./event-children.ts";
import type { WaitingInput } from "./input.ts";
import { discardInput, takeInput } from "./intake.ts";
import {
  isAnswer,
  isCompact,
  isControl,
  isEvent,
  isFromOutside,
  isInterruptingText,
  isText,
  isThreaded,
  type Ledger,
  noSlice,
} from "./ledger.ts";
import { settleAll } from "./settle.ts";

/** Texts that interrupted calls come before what was kept or deferred; otherwise the order of acceptance stands (R3). */
const inBatchOrder = (ledger: Ledger, others: readonly WaitingInput[]): readonly WaitingInput[] =>
  ledger.slice.interruption === "text" || others.some(({ interrupts }) => interrupts)
    ? [...others.filter(isInterruptingText), ...others.filter((waiting) => !isInterruptingText(waiting))]
    : others;

export interface Batch {
  readonly ledger: Ledger;
  /** Calls that confirmed one subscription too many: they are told to stop. */
  readonly refused: readonly CallId[];
}

/**
 * Moves everything that waits into the slice: results of all outstanding calls, then the rest. Controls and who asks for a
 * summary stay where they are, and so do events whose subscription has all its children at work. A request that was postponed is made again with
 * whatever waits; its tries are counted on, unless the user wrote. A round that goes on after inline results takes
 * nothing, unless a user's text waits.
 */
export const takeBatch = (ledger: Ledger): Batch => {
  if (ledger.slice.goesOn && !endsGoingOn(ledger)) return { ledger, refused: [] };
  const others = inBatchOrder(
    ledger,
    ledger.inbox.filter((input) => !isAnswer(input) && !isControl(input) && !isCompact(input)),
  );
  const settled = settleAll({ ...ledger, slice: { ...ledger.slice, goesOn: false, causes: [] } }, others);
  const taken = takeInOrder(
    settled.ledger,
    others,
    (current, waiting) => !isThreaded(waiting) || !isHeld(current, waiting),
    (current, waiting) => takeInput(current, waiting),
  );
  const outside = taken.slice.causes.some(isFromOutside);
  return {
    refused: settled.refused,
    ledger: {
      ...taken,
      record: { ...taken.record, retry: null, linger: null, ...(outside && { rounds: 0, repeated: null }) },
      slice: {
        ...taken.slice,
        ...(taken.slice.causes.some(isText) ? { attempt: 1, givenUp: 0 } : triedSoFar(ledger)),
      },
    },
  };
};

const triedSoFar = ({ record: { retry } }: Ledger) => ({
  attempt: retry?.attempt ?? 1,
  givenUp: retry?.givenUp ?? 0,
});

/** All places of the subscription are taken; an event of no subscription is discarded instead. */
const isHeld = (ledger: Ledger, { input }: WaitingInput): boolean =>
  input.kind === "event" &&
  ledger.subscriptions.some(({ callId }) => callId === input.callId) &&
  !hasRoomFor(ledger, input.callId);

/**
 * Takes what may be taken when its turn comes. Behind an event that is held, further ones of its subscription are held too,
 * even where a child that came to rest has made room meanwhile: the next slice has them in order (R3).
 */
const takeInOrder = (
  ledger: Ledger,
  inputs: readonly WaitingInput[],
  mayTake: (current: Ledger, waiting: WaitingInput) => boolean,
  take: (current: Ledger, waiting: WaitingInput) => Ledger,
): Ledger => {
  const holding = new Set<CallId>();
  return inputs.reduce((current, waiting) => {
    const overtakes = isThreaded(waiting) && holding.has(waiting.input.callId);
    if (!overtakes && mayTake(current, waiting)) return take(current, waiting);
    if (isThreaded(waiting)) holding.add(waiting.input.callId);
    return current;
  }, ledger);
};

/** Moves what asks the model nothing into a slice without a round. Outstanding waits sleep on. A halted thread hears no event. */
export const takeQuiet = (ledger: Ledger): Ledger =>
  takeInOrder({ ...ledger, slice: noSlice }, ledger.inbox, isQuietlyTaken, (current, waiting) =>
    current.record.halted && isEvent(waiting)
      ? discardInput(current, waiting, "halted")
      : takeInput(current, waiting, ledger.calls),
  );

/**
 * A round that goes on has no inputs of its own, but a user's text that waits begins the next batch at once; and when the
 * count of rounds is used up, whatever came from outside does, because it starts the count anew.
 */
const endsGoingOn = ({ inbox, record, limits }: Ledger): boolean =>
  inbox.some(isInterruptingText) || (record.rounds >= limits.rounds && inbox.some(isFromOutside));
