import type { ContentItem, PlacedEntry, ResultEntry } from "../history/entry.ts";
import type { CallId } from "../history/ids.ts";
import {
  deadlineText,
  deniedText,
  expiredText,
  interruptedText,
  noOutput,
  restartText,
  timerText,
  tooManySubscriptionsText,
  withdrawnText,
  wokenEarlyText,
} from "../history/wording.ts";
import type { Call, Subscription } from "./commit.ts";
import { rouses } from "./decide.ts";
import type { Fact } from "./facts.ts";
import type { InputKind, WaitingInput } from "./input.ts";
import { answerTo, isAnswer, type Ledger } from "./ledger.ts";

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
  const kind = others.find((waiting) => rouses(ledger, waiting))?.input.kind;
  const byResult = ledger.calls.some(({ passive, callId }) => !passive && answerTo(ledger, callId));
  return (!byResult && kind && wakers[kind]) || "another result";
};

const wakers: Partial<Record<InputKind, string>> = {
  text: "a message from the user",
  event: "an event",
  report: "a report of a child",
  ended: "the end of a child",
  message: "a message from the parent",
};

/** Confirms a subscription, unless the call is passive: a wait cannot become one. */
const opensSubscription = (call: Call, answer: WaitingInput | undefined): boolean =>
  !call.passive && answer?.input.kind === "result" && answer.input.subscription === true;

const settlementOf = (ledger: Ledger, call: Call, others: readonly WaitingInput[], at: number): Settlement => {
  const answer = answerTo(ledger, call.callId);
  if (!answer && ledger.lost.includes(call.callId))
    return { at, origin: "restart", error: true, content: restartText() };
  if (!answer && call.status === "proposed")
    return { at, origin: "interrupted", error: true, content: withdrawnText(ledger.slice.interruption ?? "text") };
  if (!answer) {
    const by = ledger.slice.interruption;
    const content =
      call.passive && by === null ? wokenEarlyText(wakerOf(ledger, others), call.note) : interruptedText(by ?? "text");
    return { at, origin: "interrupted", content };
  }
  const { input } = answer;
  if (input.kind === "answer")
    return { at: answer.at, origin: "denied", error: true, content: deniedText(input.by, input.reason) };
  if (input.kind === "timer" && input.purpose === "expiry")
    return { at: answer.at, origin: "denied", error: true, content: expiredText() };
  if (input.kind === "timer")
    return input.purpose === "wake"
      ? { at: answer.at, origin: "timer", content: timerText(input.due, answer.at, call.note) }
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
const settlements = (ledger: Ledger, others: readonly WaitingInput[], at: number) => {
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

export interface Settled {
  readonly ledger: Ledger;
  /** Calls that confirmed one subscription too many: they are told to stop. */
  readonly refused: readonly CallId[];
}

/**
 * Settles every outstanding call into the slice: with its result where one waits, else as interrupted, woken early by
 * `others`, or lost. The answers leave the inbox.
 */
export const settleAll = (ledger: Ledger, others: readonly WaitingInput[]): Settled => {
  const { slice } = ledger;
  const { entries, opened, refused } = settlements(ledger, others, ledger.now);
  const answers = ledger.inbox.filter(isAnswer);
  return {
    refused,
    ledger: {
      ...ledger,
      calls: [],
      lost: [],
      subscriptions: [...ledger.subscriptions, ...opened],
      inbox: ledger.inbox.filter((waiting) => !isAnswer(waiting)),
      slice: {
        ...slice,
        causes: [...slice.causes, ...inCallOrder(ledger)],
        entries: [...slice.entries, ...entries],
        consumed: [...slice.consumed, ...answers.map(({ seq }) => seq)],
        settled: [...slice.settled, ...ledger.calls.map(({ callId }) => callId)],
        opened: [...slice.opened, ...opened],
        facts: [...slice.facts, ...entries.map(({ entry }) => resultFactOf(entry as ResultEntry))],
      },
    },
  };
};

const inCallOrder = (ledger: Ledger): readonly WaitingInput[] =>
  ledger.calls.flatMap(({ callId }) => answerTo(ledger, callId) ?? []);
