import type { Entry } from "../history/entry.ts";
import { endedText } from "../history/family-wording.ts";
import type { Call, DiscardReason, Subscription } from "./commit.ts";
import { eventChild } from "./event-children.ts";
import type { Child } from "./family.ts";
import type { WaitingInput } from "./input.ts";
import { discarded } from "./judge.ts";
import { isEvent, isThreaded, type Ledger } from "./ledger.ts";

/**
 * Takes one input that waits into the slice: an entry of the history, a child that handles it, or what else it stands for
 * (R1). It is judged once more, since what stands before it in the batch can have opened or ended its source. Calls that
 * are `outstanding` are answered elsewhere for the children it opens.
 */
export const takeInput = (ledger: Ledger, waiting: WaitingInput, outstanding: readonly Call[] = []): Ledger => {
  const taken = consumed(ledger, waiting);
  const { input } = waiting;
  switch (input.kind) {
    case "text": {
      const { text, metadata } = input;
      const mark = waiting.interrupts ? { interrupt: true as const } : {};
      const entry: Entry = { kind: "user", at: waiting.at, text, ...mark, ...(metadata && { metadata }) };
      return withEntry(resumed(taken), waiting, entry);
    }
    case "event": {
      const source = ledger.subscriptions.find(({ callId }) => callId === input.callId);
      if (!source) return discard(taken, waiting, "unknown-source");
      return heard(taken, waiting, source, outstanding);
    }
    case "report": {
      const child = childOf(ledger, input.child);
      if (!child) return discard(taken, waiting, "unknown-source");
      return withEntry(taken, waiting, eventOf(waiting, child.source, input.text, child));
    }
    case "message": {
      const source = ledger.opening?.source;
      return source
        ? withEntry(taken, waiting, eventOf(waiting, source, input.text))
        : discard(taken, waiting, "unknown-source");
    }
    case "ended": {
      const child = childOf(ledger, input.child);
      if (!child) return discard(taken, waiting, "unknown-source");
      const gone = without(taken, child);
      // The end of a spawned child is always heard, that of an event's child when it has something to say.
      if (ledger.record.closing || (child.kind === "event" && input.report === null)) return gone;
      return withEntry(gone, waiting, eventOf(waiting, child.source, endedText(child.threadId, input.report), child));
    }
    case "rested": {
      const child = childOf(ledger, input.child);
      return child && !child.rested ? moved(taken, { ...child, rested: true }) : taken;
    }
    case "resume":
      return resumed(taken);
    default:
      return taken;
  }
};

/** What a halted thread does not hear. A last event ends its subscription all the same. */
export const discardInput = (ledger: Ledger, waiting: WaitingInput, reason: DiscardReason): Ledger => {
  const taken = discard(consumed(ledger, waiting), waiting, reason);
  const source = isEvent(waiting) && waiting.input.final && sourceOf(ledger, waiting.input.callId);
  return source ? ended(taken, source) : taken;
};

/** A person writes, or the thread above was resumed: deferrable inputs are heard again, also below. */
const resumed = (ledger: Ledger): Ledger => {
  if (!ledger.record.halted) return ledger;
  const { slice, children, threadId, version } = ledger;
  const tellings = children.map((child) => ({
    threadId: child.threadId,
    dedupId: `resumed:${version}`,
    input: { kind: "resume" as const, sender: threadId },
  }));
  return {
    ...ledger,
    record: { ...ledger.record, halted: false },
    slice: {
      ...slice,
      sent: [...slice.sent, ...tellings],
      facts: [...slice.facts, { type: "thread.resumed" }],
    },
  };
};

const childOf = ({ children }: Ledger, threadId: string) => children.find((child) => child.threadId === threadId);
const sourceOf = ({ subscriptions }: Ledger, id: string) => subscriptions.find(({ callId }) => callId === id);

const consumed = (ledger: Ledger, { seq }: WaitingInput): Ledger => ({
  ...ledger,
  inbox: ledger.inbox.filter((waiting) => waiting.seq !== seq),
  slice: { ...ledger.slice, consumed: [...ledger.slice.consumed, seq] },
});

const discard = (ledger: Ledger, waiting: WaitingInput, reason: DiscardReason): Ledger => ({
  ...ledger,
  slice: { ...ledger.slice, facts: [...ledger.slice.facts, discarded(waiting, reason)] },
});

const withEntry = (ledger: Ledger, waiting: WaitingInput, entry: Entry): Ledger => {
  const { record, slice } = ledger;
  return {
    ...ledger,
    record: { ...record, nextPosition: record.nextPosition + 1 },
    slice: {
      ...slice,
      causes: [...slice.causes, waiting],
      entries: [...slice.entries, { position: record.nextPosition, entry }],
    },
  };
};

const eventOf = (
  { at }: WaitingInput,
  { callId, providerCallId, name, args }: Child["source"],
  text: string,
  from?: Child,
): Entry => ({
  kind: "event",
  at,
  source: { callId, providerCallId, name, args },
  text,
  ...(from && { from: from.threadId }),
});

/** An event of an open subscription: read here, or by a child of its own. */
const heard = (ledger: Ledger, waiting: WaitingInput, source: Subscription, outstanding: readonly Call[]): Ledger => {
  if (!isEvent(waiting)) return ledger;
  const { text, final } = waiting.input;
  const after = final ? ended(ledger, source) : followed(ledger, { ...source, lastEventId: waiting.dedupId });
  if (!isThreaded(waiting))
    return withEntry(after, waiting, { ...eventOf(waiting, source, text), ...(final && { final }) } as Entry);
  const { thread, child } = eventChild(ledger, waiting, source, outstanding);
  const { slice } = after;
  return {
    ...after,
    born: ledger.born + 1,
    children: [...ledger.children, child],
    slice: { ...slice, bornChildren: [...slice.bornChildren, thread] },
  };
};

const followed = (ledger: Ledger, subscription: Subscription): Ledger => {
  const { slice } = ledger;
  const isOther = ({ callId }: Subscription) => callId !== subscription.callId;
  return {
    ...ledger,
    subscriptions: ledger.subscriptions.map((other) => (isOther(other) ? other : subscription)),
    slice: { ...slice, moved: [...slice.moved.filter(isOther), subscription] },
  };
};

const ended = (ledger: Ledger, subscription: Subscription): Ledger => {
  const { slice } = ledger;
  const isOther = ({ callId }: Subscription) => callId !== subscription.callId;
  return {
    ...ledger,
    subscriptions: ledger.subscriptions.filter(isOther),
    slice: { ...slice, moved: slice.moved.filter(isOther), ended: [...slice.ended, subscription] },
  };
};

const moved = (ledger: Ledger, child: Child): Ledger => {
  const { slice, children } = ledger;
  const isOther = ({ threadId }: Child) => threadId !== child.threadId;
  return {
    ...ledger,
    children: children.map((other) => (isOther(other) ? other : child)),
    slice: { ...slice, movedChildren: [...slice.movedChildren.filter(isOther), child] },
  };
};

const without = (ledger: Ledger, child: Child): Ledger => {
  const { slice, children } = ledger;
  const isOther = ({ threadId }: Child) => threadId !== child.threadId;
  return {
    ...ledger,
    children: children.filter(isOther),
    slice: {
      ...slice,
      movedChildren: slice.movedChildren.filter(isOther),
      endedChildren: [...slice.endedChildren, child],
    },
  };
};
