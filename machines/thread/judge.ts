import type { CallId } from "../history/ids.ts";
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
    case "result":
    case "timer": {
      const call = ledger.calls.find(({ callId }) => callId === input.callId);
      if (!call || call.form === "inline") return "call-not-outstanding";
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
        ledger.calls.some(({ callId, passive, form }) => callId === input.callId && !passive && form !== "inline");
      return known ? "keep" : "unknown-source";
    }
    case "progress": {
      const known = [...ledger.calls, ...ledger.subscriptions].some(({ callId }) => callId === input.callId);
      return known ? "hand over" : "call-not-outstanding";
    }
  }
};

export const discarded = ({ dedupId, input }: WaitingInput, reason: DiscardReason): Fact => ({
  type: "input.discarded",
  dedupId,
  kind: input.kind,
  ...("callId" in input ? { callId: input.callId } : {}),
  reason,
});

/** A commit beside a slice: inputs leave the inbox, the record stays as it is. */
const aside = (ledger: Ledger, consumed: readonly number[], facts: readonly Fact[]): ThreadCommit => ({
  threadId: ledger.threadId,
  expectedVersion: ledger.version,
  entries: [],
  consumed,
  interrupting: [],
  calls: { made: [], settled: [] },
  subscriptions: { opened: [], moved: [], ended: [], cancelled: [] },
  timers: [],
  children: { opened: [], moved: [], ended: [] },
  sent: [],
  record: null,
  facts,
});

/** The ledger after `inputs` came in, and the commit that takes out at once what is not kept (null: all is kept). */
export const sortIn = (
  ledger: Ledger,
  inputs: readonly WaitingInput[],
): { readonly ledger: Ledger; readonly commit: ThreadCommit | null } => {
  const consumed: number[] = [];
  const facts: Fact[] = [];
  let { inbox } = ledger;
  for (const waiting of inputs) {
    const judgement = judge({ ...ledger, inbox }, waiting);
    if (judgement === "keep") {
      inbox = [...inbox, waiting];
      continue;
    }
    consumed.push(waiting.seq);
    if (judgement !== "hand over") facts.push(discarded(waiting, judgement));
    else if (waiting.input.kind === "progress")
      facts.push({ type: "call.progressed", callId: waiting.input.callId, text: waiting.input.text });
  }
  const now = Math.max(ledger.now, inputs.at(-1)?.at ?? 0);
  if (consumed.length === 0) return { ledger: { ...ledger, inbox, now }, commit: null };
  return {
    ledger: { ...ledger, inbox, now, version: ledger.version + 1 },
    commit: aside(ledger, consumed, facts),
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
