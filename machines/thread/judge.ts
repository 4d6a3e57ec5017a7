import type { CallId } from "../history/ids.ts";
import { type Acted, actOn, judgeAnswer, judgeChoice, judgeExpiry, nothingActed } from "./asking.ts";
import type { DiscardReason, ThreadCommit } from "./commit.ts";
import type { Fact } from "./facts.ts";
import type { WaitingInput } from "./input.ts";
import { answerTo, isDeferrable, isEnded, isEvent, isInterrupt, type Ledger } from "./ledger.ts";

/** What an accepted input comes to before any slice looks at it. */
export type Judgement = "keep" | "hand over" | DiscardReason;

/**
 * Judges one input against the record and the inbox (R1: what is not kept is discarded with a reason, or handed to the
 * application). A thread that closes hears the ends of its children and nothing else. A halted one discards what could be
 * deferred, but for those ends.
 */
export const judge = (ledger: Ledger, waiting: WaitingInput): Judgement => {
  const { closing, halted } = ledger.record;
  if (closing && !isEnded(waiting)) return "closed";
  const judgement = judgedByKind(ledger, waiting);
  if (judgement !== "keep" || !halted || !isDeferrable(waiting)) return judgement;
  // What ends a child or a subscription is taken note of, unheard.
  const ends = isEnded(waiting) || (isEvent(waiting) && waiting.input.final && isActive(ledger, waiting.input.callId));
  return ends ? "keep" : "halted";
};

const isActive = ({ subscriptions }: Ledger, id: CallId): boolean => subscriptions.some(({ callId }) => callId === id);

/**
 * A result must answer a call that is outstanding and unanswered; an event must come from a subscription that is open, or
 * from an active call whose first result it overtook; what threads tell each other must come from a child or the parent.
 */
const judgedByKind = (ledger: Ledger, { input }: WaitingInput): Judgement => {
  switch (input.kind) {
    case "text":
    case "interrupt":
    case "halt":
    case "close":
    case "resume":
      return "keep";
    case "compact":
      return "keep";
    case "release":
      return ledger.record.quarantined ? "keep" : "not-quarantined";
    case "retry":
      return ledger.record.retry?.due === input.due ? "keep" : "not-due";
    case "linger":
      return ledger.record.linger === input.due && ledger.inbox.length === 0 ? "keep" : "not-due";
    case "report":
    case "ended":
    case "rested":
      return ledger.children.some(({ threadId }) => threadId === input.child) ? "keep" : "unknown-source";
    case "message":
      return ledger.opening?.parent === input.parent ? "keep" : "unknown-source";
    case "choice":
      return judgeChoice(ledger, input);
    case "answer":
      return judgeAnswer(ledger, input);
    case "result":
    case "timer": {
      if (input.kind === "timer" && input.purpose === "expiry") return judgeExpiry(ledger, input);
      const call = ledger.calls.find(({ callId }) => callId === input.callId);
      // Nobody was given a call that waits for approval.
      if (!call || call.form === "inline" || call.status === "proposed") return "call-not-outstanding";
      // A wait ends by its own time; an active call has a deadline at most.
      if (input.kind === "timer" && input.purpose === "wake" && !call.passive) return "call-not-outstanding";
      return answerTo(ledger, input.callId) ? "call-already-answered" : "keep";
    }
    case "event": {
      const ends = ledger.inbox
        .filter(isEvent)
        .some((other) => other.input.final && other.input.callId === input.callId);
      if (ends) return "subscription-ended";
      const known =
        ledger.subscriptions.some(({ callId }) => callId === input.callId) ||
        ledger.calls.some(
          ({ callId, passive, form, status }) =>
            callId === input.callId && !passive && form !== "inline" && status !== "proposed",
        );
      return known ? "keep" : "unknown-source";
    }
    case "view":
      return input.callId === undefined || isAtWork(ledger, input.callId) ? "hand over" : "call-not-outstanding";
    case "oauth":
    case "progress":
      return isAtWork(ledger, input.callId) ? "hand over" : "call-not-outstanding";
  }
};

/** Its call is outstanding, and made, or its subscription open. */
const isAtWork = ({ calls, subscriptions }: Ledger, id: CallId): boolean =>
  calls.some(({ callId, status }) => callId === id && status !== "proposed") ||
  subscriptions.some(({ callId }) => callId === id);

export const discarded = ({ dedupId, input }: WaitingInput, reason: DiscardReason): Fact => ({
  type: "input.discarded",
  dedupId,
  kind: input.kind,
  ...("callId" in input && input.callId !== undefined ? { callId: input.callId } : {}),
  ...("choiceId" in input ? { choiceId: input.choiceId } : {}),
  reason,
});

/** A commit beside a slice: inputs leave the inbox, the record stays as it is. */
export const aside = (
  ledger: Ledger,
  consumed: readonly number[],
  facts: readonly Fact[],
  acted: Acted = nothingActed(ledger),
): ThreadCommit => ({
  threadId: ledger.threadId,
  expectedVersion: ledger.version,
  entries: [],
  consumed,
  interrupting: [],
  calls: { made: [], settled: [], ...(acted.approved.length > 0 && { approved: acted.approved }) },
  ...(acted.opened.length + acted.moved.length > 0 && { choices: { opened: acted.opened, moved: acted.moved } }),
  ...(acted.views.length > 0 && { views: acted.views }),
  subscriptions: { opened: [], moved: [], ended: [], cancelled: [] },
  timers: acted.timers,
  children: { opened: [], moved: [], ended: [] },
  sent: [],
  // Approved for good: nothing but that is another in the record, which has no timer of its own while a call is outstanding.
  record: acted.ledger.record === ledger.record ? null : acted.ledger.record,
  facts,
});

const discardedBySlice = (ledger: Ledger, waiting: WaitingInput, reason: DiscardReason): Ledger => {
  const { slice } = ledger;
  return {
    ...ledger,
    slice: {
      ...slice,
      consumed: [...slice.consumed, waiting.seq],
      facts: [...slice.facts, discarded(waiting, reason)],
    },
  };
};

/** In the order of acceptance, also where who accepts tells of an input later than another of a later one (R3). */
const filed = (inbox: Ledger["inbox"], waiting: WaitingInput): Ledger["inbox"] => {
  const place = inbox.findLastIndex(({ seq }) => seq < waiting.seq) + 1;
  return [...inbox.slice(0, place), waiting, ...inbox.slice(place)];
};

/**
 * What the open slice did to the source of an input is not durable yet, and undone when the process ends: what is discarded
 * for it is discarded by the commit of the slice, and comes up again with the rest when that never is (R1).
 */
const fallsWithSlice = ({ slice, choices }: Ledger, { input }: WaitingInput): boolean => {
  if ("child" in input) return slice.endedChildren.some(({ threadId }) => threadId === input.child);
  const callId =
    input.kind === "answer"
      ? choices.find(({ choiceId }) => choiceId === input.choiceId)?.callId
      : "callId" in input && input.callId;
  if (!callId) return false;
  return slice.settled.includes(callId) || slice.ended.some((subscription) => subscription.callId === callId);
};

/**
 * The ledger after `inputs` came in, and the commit that takes out at once what is not kept (null: all is kept, or goes
 * with the slice).
 */
export const sortIn = (
  ledger: Ledger,
  inputs: readonly WaitingInput[],
): { readonly ledger: Ledger; readonly commit: ThreadCommit | null } => {
  const consumed: number[] = [];
  let acted = nothingActed(ledger);
  for (const waiting of inputs) {
    const judgement = judge(acted.ledger, waiting);
    if (judgement === "keep") {
      const after = actOn(acted, waiting);
      acted = { ...after, ledger: { ...after.ledger, inbox: filed(after.ledger.inbox, waiting) } };
      continue;
    }
    if (judgement !== "hand over" && fallsWithSlice(acted.ledger, waiting)) {
      acted = { ...acted, ledger: discardedBySlice(acted.ledger, waiting, judgement) };
      continue;
    }
    consumed.push(waiting.seq);
    if (judgement === "hand over") {
      acted = actOn(acted, waiting);
      continue;
    }
    acted = { ...acted, facts: [...acted.facts, discarded(waiting, judgement)] };
  }
  const now = Math.max(ledger.now, inputs.at(-1)?.at ?? 0);
  const after = { ...acted.ledger, now };
  if (consumed.length + acted.facts.length === 0) return { ledger: after, commit: null };
  return {
    ledger: { ...after, version: ledger.version + 1 },
    commit: aside(ledger, consumed, acted.facts, acted),
  };
};

/** Interrupts that find nothing to interrupt: acted on by doing nothing. */
export const dropControls = (ledger: Ledger): { readonly ledger: Ledger; readonly commit: ThreadCommit } => {
  const controls = ledger.inbox.filter(isInterrupt);
  return {
    ledger: {
      ...ledger,
      inbox: ledger.inbox.filter((waiting) => !isInterrupt(waiting)),
      version: ledger.version + 1,
    },
    commit: aside(
      ledger,
      controls.map(({ seq }) => seq),
      [],
    ),
  };
};
