import type { ContentItem, Entry, PlacedEntry, ResultEntry } from "../history/entry.ts";
import type { CallId } from "../history/ids.ts";
import {
  deadlineText,
  interruptedText,
  noOutput,
  restartText,
  timerText,
  tooManySubscriptionsText,
  wokenEarlyText,
} from "../history/wording.ts";
import type { Call, Subscription } from "./commit.ts";
import type { Fact } from "./facts.ts";
import type { WaitingInput } from "./input.ts";
import { discarded } from "./judge.ts";
import {
  answerTo,
  isAnswer,
  isControl,
  isEvent,
  isFromOutside,
  isInterruptingText,
  isRetry,
  isText,
  type Ledger,
} from "./ledger.ts";

/** What settles a call, as the entry for the history. */
type Settlement = Pick<ResultEntry, "at" | "origin" | "content"> & Partial<Pick<ResultEntry, "error" | "display">>;

export const resultFactOf = (entry: ResultEntry): Fact => {
  const { callId, name, origin, content, error, display } = entry;
  return { type: "call.settled", callId, name, origin, content, ...(error && { error }), ...(display && { display }) };
};

export const resultEntryOf = (call: Pick<Call, "callId" | "name">, settlement: Settlement): ResultEntry => ({
  kind: "result",
  callId: call.callId,
  name: call.name,
  ...settlement,
});

/** What woke the thread, in the words of the result of a call that was woken early. */
const wakerOf = (ledger: Ledger, others: readonly WaitingInput[]): string => {
  const waker = others[0];
  const byResult = ledger.calls.some(({ passive, callId }) => !passive && answerTo(ledger, callId));
  if (!waker || byResult) return "another result";
  if (isText(waker)) return "a message from the user";
  return isEvent(waker) ? "an event" : "another result";
};

/** Confirms a subscription, unless the call is passive: a wait cannot become one. */
const opensSubscription = (call: Call, answer: WaitingInput | undefined): boolean =>
  !call.passive && answer?.input.kind === "result" && answer.input.subscription === true;

const settlementOf = (ledger: Ledger, call: Call, others: readonly WaitingInput[], at: number): Settlement => {
  const answer = answerTo(ledger, call.callId);
  if (!answer && ledger.lost.includes(call.callId))
    return { at, origin: "restart", error: true, content: restartText() };
  if (!answer) {
    const by = ledger.slice.interruption;
    const content =
      call.passive && by === null ? wokenEarlyText(wakerOf(ledger, others)) : interruptedText(by ?? "text");
    return { at, origin: "interrupted", content };
  }
  const { input } = answer;
  if (input.kind === "timer")
    return input.purpose === "wake"
      ? { at: answer.at, origin: "timer", content: timerText(input.due, answer.at) }
      : { at: answer.at, origin: "timer", error: true, content: deadlineText() };
  const { origin, content, error, display } = input;
  return { at: answer.at, origin, content: filled(content), ...(error && { error }), ...(display && { display }) };
};

/** A result never is nothing: providers refuse blank blocks (R5). */
const filled = (content: readonly ContentItem[]): ContentItem[] =>
  content.some((item) => item.type !== "text" || item.text.trim() !== "")
    ? content.filter((item) => item.type !== "text" || item.text.trim() !== "")
    : [{ type: "text", text: noOutput }];

/** Results first, in the order of their calls, because they close the turn before. Settles every outstanding call. */
const settleAll = (ledger: Ledger, others: readonly WaitingInput[], at: number) => {
  const entries: PlacedEntry[] = [];
  const opened: Subscription[] = [];
  const refused: CallId[] = [];
  const room = ledger.limits.subscriptions - ledger.subscriptions.length;
  for (const call of ledger.calls) {
    const opens = opensSubscription(call, answerTo(ledger, call.callId));
    const settlement =
      opens && opened.length >= room
        ? {
            at,
            origin: "tool" as const,
            error: true as const,
            content: tooManySubscriptionsText(ledger.limits.subscriptions),
          }
        : settlementOf(ledger, call, others, at);
    if (opens && opened.length >= room) refused.push(call.callId);
    else if (opens) {
      const { callId, providerCallId, name, args, form } = call;
      opened.push({ callId, providerCallId, name, args, form });
    }
    entries.push({ position: call.position, entry: resultEntryOf(call, settlement) });
  }
  return { entries, opened, refused };
};

/** Texts that interrupted calls come before what was kept or deferred; otherwise the order of acceptance stands (R3). */
const inBatchOrder = (ledger: Ledger, others: readonly WaitingInput[]): readonly WaitingInput[] =>
  ledger.slice.interruption === "text" || others.some(({ interrupts }) => interrupts)
    ? [...others.filter(isInterruptingText), ...others.filter((waiting) => !isInterruptingText(waiting))]
    : others;

const entryOf = (waiting: WaitingInput, source: Subscription | undefined): Entry | null => {
  if (isText(waiting)) {
    const { text, metadata } = waiting.input;
    const mark = waiting.interrupts ? { interrupt: true as const } : {};
    return { kind: "user", at: waiting.at, text, ...mark, ...(metadata && { metadata }) };
  }
  if (!isEvent(waiting) || !source) return null;
  const { callId, providerCallId, name, args } = source;
  const final = waiting.input.final ? { final: true as const } : {};
  return {
    kind: "event",
    at: waiting.at,
    source: { callId, providerCallId, name, args },
    text: waiting.input.text,
    ...final,
  };
};

export interface Batch {
  readonly ledger: Ledger;
  /** Calls that confirmed one subscription too many: they are told to stop. */
  readonly refused: readonly CallId[];
}

/**
 * Moves everything that waits into the slice: results of all outstanding calls, then texts and events. Controls stay
 * where they are. Events are judged once more, since a result of this batch can have opened, and an event of it ended,
 * their subscription. A request that was postponed is made again with whatever
 * waits; its tries are counted on, unless the user wrote. A round that goes on after inline results takes nothing, unless a user's text waits.
 */
export const takeBatch = (ledger: Ledger): Batch => {
  const { slice, now: at } = ledger;
  if (slice.goesOn && !endsGoingOn(ledger)) return { ledger, refused: [] };
  const waiting = ledger.inbox.filter((input) => !isControl(input));
  const others = inBatchOrder(
    ledger,
    waiting.filter((input) => !isAnswer(input) && !isRetry(input)),
  );
  const { entries, opened, refused } = settleAll(ledger, others, at);
  const facts: Fact[] = entries.map(({ entry }) => resultFactOf(entry as ResultEntry));
  const ended: Subscription[] = [];
  const taken: WaitingInput[] = [];
  let position = ledger.record.nextPosition;
  let subscriptions = [...ledger.subscriptions, ...opened];
  for (const input of others) {
    const source = isEvent(input) ? subscriptions.find(({ callId }) => callId === input.input.callId) : undefined;
    const entry = entryOf(input, source);
    if (!entry) {
      facts.push(discarded(input, "unknown-source"));
      continue;
    }
    taken.push(input);
    entries.push({ position: position++, entry });
    if (!source || !isEvent(input)) continue;
    const moved = { ...source, lastEventId: input.dedupId };
    if (input.input.final) ended.push(source);
    subscriptions = subscriptions.flatMap((other) => {
      if (other.callId !== source.callId) return [other];
      return input.input.final ? [] : [moved];
    });
  }
  const outside = taken.some(isFromOutside);
  return {
    refused,
    ledger: {
      ...ledger,
      calls: [],
      lost: [],
      subscriptions,
      inbox: ledger.inbox.filter(isControl),
      record: {
        ...ledger.record,
        nextPosition: position,
        retry: null,
        ...(outside && { rounds: 0, repeated: null }),
      },
      slice: {
        ...slice,
        goesOn: false,
        attempt: taken.some(isText) ? 1 : (ledger.record.retry?.attempt ?? 1),
        causes: [...inCallOrder(ledger), ...taken],
        entries: [...slice.entries, ...entries],
        consumed: [...slice.consumed, ...waiting.map(({ seq }) => seq)],
        settled: [...slice.settled, ...ledger.calls.map(({ callId }) => callId)],
        opened: [...slice.opened, ...opened],
        moved: subscriptions.filter((subscription) => !ledger.subscriptions.includes(subscription)),
        ended: [...slice.ended, ...ended],
        facts: [...slice.facts, ...facts],
      },
    },
  };
};

/**
 * A round that goes on has no inputs of its own, but a user's text that waits begins the next batch at once; and when the
 * count of rounds is used up, whatever came from outside does, because it starts the count anew.
 */
const endsGoingOn = ({ inbox, record, limits }: Ledger): boolean =>
  inbox.some(isInterruptingText) || (record.rounds >= limits.rounds && inbox.some(isFromOutside));

const inCallOrder = (ledger: Ledger): readonly WaitingInput[] =>
  ledger.calls.flatMap(({ callId }) => answerTo(ledger, callId) ?? []);
