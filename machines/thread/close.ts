import { produce } from "immer";
import type { ContentItem, DisplaySegment, Origin, PlacedEntry, ResultEntry } from "../history/entry.ts";
import type { CallId } from "../history/ids.ts";
import { displayForm, notExecutedText, restartText } from "../history/wording.ts";
import type { Failure, RoundOutput } from "../round/turn.ts";
import { choicesOf, openedFact } from "./asking.ts";
import type { Choice } from "./choice.ts";
import type { Call, ThreadCommit, ThreadRecord } from "./commit.ts";
import type { Fact } from "./facts.ts";
import type { ToolFailure, WaitingInput } from "./input.ts";
import { discardInput, takeInput } from "./intake.ts";
import {
  inlineCalls,
  isEnded,
  isInterrupt,
  isInterruptingText,
  type Ledger,
  leavesATrace,
  lostInline,
  noSlice,
} from "./ledger.ts";
import { ownTimers } from "./noted.ts";
import { askedAgainLater } from "./outage.ts";
import { restOf } from "./rest.ts";
import { resultEntryOf, resultFactOf } from "./settle.ts";
import { type ClosedTurn, closedTurn } from "./turn.ts";

/** The result of one inline call. `interrupted` when an input cut it short. */
export interface InlineResult {
  readonly callId: CallId;
  readonly origin: Extract<Origin, "sync" | "http_error" | "interrupted" | "restart">;
  readonly content: readonly ContentItem[];
  readonly error?: true;
  readonly display?: readonly DisplaySegment[];
  readonly failure?: ToolFailure;
}

interface Closing {
  readonly entries?: readonly PlacedEntry[];
  readonly made?: readonly Call[];
  readonly settled?: readonly CallId[];
  readonly timers?: ThreadCommit["timers"];
  /** Questions of calls that are made. */
  readonly asked?: readonly Choice[];
  readonly interrupting?: readonly number[];
  readonly consumed?: readonly number[];
  readonly record: ThreadRecord;
  /** Facts behind those of the slice, before what the slice's end adds. */
  readonly facts: readonly Fact[];
  readonly failure?: Failure | null;
}

const marked = (inbox: Ledger["inbox"], interrupting: readonly number[]): Ledger["inbox"] =>
  produce(inbox, (draft) => {
    for (const waiting of draft) if (interrupting.includes(waiting.seq)) waiting.interrupts = true;
  });

/**
 * A thread that is to close, and has nothing outstanding any more, is wound up by the same commit: its subscriptions end,
 * its children are told, what waits is discarded, but for the ends of children.
 */
const woundUp = (ledger: Ledger, closing: Closing): { readonly ledger: Ledger; readonly closing: Closing } => {
  const { record, made = [], settled = [] } = closing;
  if (!record.closing || record.closing.told) return { ledger, closing };
  const isOver = made.length === 0 && ledger.calls.every(({ callId }) => settled.includes(callId));
  if (!isOver) return { ledger, closing };
  const ends = { ...record, closing: { ...record.closing, told: true }, roundDue: false, retry: null };
  const heard = ledger.inbox.reduce<Ledger>(
    (current, waiting) =>
      isEnded(waiting) || !leavesATrace(waiting)
        ? takeInput(current, waiting)
        : discardInput(current, waiting, "closed"),
    { ...ledger, record: ends },
  );
  const { slice, subscriptions, children, threadId } = heard;
  const tellings = children.map((child) => ({
    threadId: child.threadId,
    dedupId: "closed",
    input: { kind: "close" as const, sender: threadId },
  }));
  return {
    ledger: {
      ...heard,
      subscriptions: [],
      slice: {
        ...slice,
        moved: [],
        ended: [...slice.ended, ...subscriptions],
        cancelled: [...slice.cancelled, ...subscriptions],
        sent: [...slice.sent, ...tellings],
      },
    },
    closing: { ...closing, record: ends },
  };
};

/** Nothing of the call is in the hands of a process: it waits for a person, for an instant, or for somebody elsewhere. */
const outlivesProcess = ({ form, status }: Call): boolean =>
  form === "builtin" || status === "proposed" || status === "acknowledged";

/** Puts the slice so far and what closes it into one commit (the pattern: the commit is data). */
export const commitOf = (open: Ledger, given: Closing): Ledger => {
  const { ledger, closing } = woundUp(open, given);
  const { slice } = ledger;
  const { entries = [], made = [], settled = [], timers = [], interrupting = [], consumed = [], failure } = closing;
  const { asked = [] } = closing;
  const choices = choicesOf(ledger, [...slice.settled, ...settled]);
  const calls = [...ledger.calls.filter(({ callId }) => !settled.includes(callId)), ...made];
  const { quarantined, restarts } = closing.record;
  const goesOn = !quarantined && (closing.record.roundDue || calls.some(({ form }) => form === "inline"));
  const rest = goesOn ? null : restOf({ ...ledger, calls, record: closing.record, slice }, failure ?? null);
  const record: ThreadRecord = {
    ...closing.record,
    linger: rest?.linger ?? null,
    restarts: rest && calls.every(outlivesProcess) ? 0 : restarts,
    state: rest?.state ?? "running",
  };
  const placed = [...slice.entries, ...entries];
  const end: Fact[] = [
    ...(failure ? [{ type: "failure" as const, code: failure.code, message: failure.message }] : []),
    ...(rest
      ? [
          { type: "slice.ended" as const, state: rest.state },
          { type: "state.changed" as const, state: rest.state },
        ]
      : []),
  ];
  return {
    ...ledger,
    calls,
    choices: [...choices.left, ...asked],
    record,
    version: ledger.version + 1,
    inbox: interrupting.length > 0 ? marked(ledger.inbox, interrupting) : ledger.inbox,
    slice: { ...noSlice, causes: slice.causes },
    commit: {
      threadId: ledger.threadId,
      expectedVersion: ledger.version,
      entries: placed,
      consumed: [...slice.consumed, ...consumed],
      interrupting,
      calls: { made, settled: [...slice.settled, ...settled] },
      subscriptions: {
        opened: slice.opened,
        moved: slice.moved,
        ended: slice.ended.map(({ callId }) => callId),
        cancelled: slice.cancelled.map(({ callId }) => callId),
      },
      ...(asked.length > 0 && { choices: { opened: asked, moved: [] } }),
      timers: [...timers, ...ownTimers(record)],
      children: {
        opened: slice.bornChildren,
        moved: slice.movedChildren,
        ended: slice.endedChildren.map(({ threadId }) => threadId),
      },
      sent: [...slice.sent, ...(rest?.sent ?? [])],
      record,
      facts: [
        ...placed.map(({ position, entry }): Fact => ({ type: "entry.added", position, entry })),
        ...slice.facts,
        ...slice.opened.map(({ callId, name }): Fact => ({ type: "subscription.opened", callId, name })),
        ...slice.ended.map(({ callId, name }): Fact => ({ type: "subscription.ended", callId, name })),
        ...slice.bornChildren.map(
          ({ threadId, opening: { kind, source } }): Fact => ({
            type: "child.opened",
            childId: threadId,
            kind,
            callId: source.callId,
          }),
        ),
        ...slice.endedChildren.map(
          ({ threadId, source }): Fact => ({ type: "child.ended", childId: threadId, callId: source.callId }),
        ),
        ...closing.facts,
        ...asked.map((choice) => openedFact(choice, made.find(({ callId }) => callId === choice.callId)?.name ?? "")),
        ...choices.facts,
        ...end,
      ],
    },
  };
};

/** The interrupts that wait are acted on by the commit that ends what they stop. */
const controlsOf = (ledger: Ledger) => ledger.inbox.filter(isInterrupt);

const without = (ledger: Ledger, gone: readonly WaitingInput[]): Ledger =>
  gone.length === 0 ? ledger : { ...ledger, inbox: ledger.inbox.filter((waiting) => !gone.includes(waiting)) };

/** The ledger after what the built-in tools of a turn did. */
const withActs = (ledger: Ledger, { threads, children, sent, cancelled }: ClosedTurn): Ledger => {
  if (threads.length + sent.length + cancelled.length === 0) return ledger;
  const { slice } = ledger;
  return {
    ...ledger,
    born: ledger.born + threads.length,
    children: [...ledger.children, ...children],
    subscriptions: ledger.subscriptions.filter((subscription) => !cancelled.includes(subscription)),
    slice: {
      ...slice,
      bornChildren: [...slice.bornChildren, ...threads],
      sent: [...slice.sent, ...sent],
      ended: [...slice.ended, ...cancelled],
      cancelled: [...slice.cancelled, ...cancelled],
    },
  };
};

/** The commit of a round: its batch, its turn, its calls, its refusals. */
export const closeTurn = (ledger: Ledger, given: RoundOutput): Ledger => {
  const output = askedAgainLater(ledger, given);
  const turn = closedTurn(ledger, output);
  const { at: now } = output;
  const cut = output.outcome === "cut";
  const cutting = cut ? ledger.inbox.find(isInterruptingText) : undefined;
  // A stop that came behind the text is not spent on the cut: it stops what the text begins.
  const controls = cut ? controlsOf(ledger).filter(({ seq }) => !cutting || seq < cutting.seq) : [];
  return commitOf(
    { ...withActs(without(ledger, controls), turn), now },
    {
      entries: turn.entries,
      made: turn.made,
      timers: turn.timers,
      asked: turn.asked,
      interrupting: cutting ? [cutting.seq] : [],
      consumed: controls.map(({ seq }) => seq),
      record: turn.record,
      failure: turn.failure,
      facts: [
        ...turn.shown.map((part): Fact => {
          const { callId, providerCallId, name, args, display = displayForm(name, args) } = part;
          const passive = turn.made.some((call) => call.callId === callId && call.passive);
          return { type: "call.made", callId, providerCallId, name, args, display, passive };
        }),
        { type: "round.ended", outcome: output.outcome, usage: output.usage, model: output.model, text: turn.text },
        ...turn.entries.flatMap(({ entry }) => (entry.kind === "result" ? [resultFactOf(entry)] : [])),
      ],
    },
  );
};

/** The commit of inline results; with nothing else outstanding another round follows, so that the model reads them. */
export const closeInline = (ledger: Ledger, results: readonly InlineResult[], at: number): Ledger => {
  const settled = results.flatMap(({ callId, origin, content, error, display }) => {
    const call = ledger.calls.find((other) => other.callId === callId);
    if (!call) return [];
    const settlement = {
      at,
      origin,
      content: [...content],
      ...(error && { error }),
      ...(display && { display: [...display] }),
    };
    return [{ position: call.position, entry: resultEntryOf(call, settlement) }];
  });
  const others = ledger.calls.filter(({ callId }) => !results.some((result) => result.callId === callId));
  const failures = results.flatMap(({ callId, failure }): Fact[] =>
    failure ? [{ type: "failure", code: "TOOL_FAILED", callId, ...failure }] : [],
  );
  /** The text that cut them comes first in the batch it begins; after a stop without text nothing of it remains. */
  const cutByText = results.some(({ origin }) => origin === "interrupted") && ledger.inbox.some(isInterruptingText);
  const closed = commitOf(
    { ...ledger, now: at },
    {
      entries: settled,
      settled: settled.map(({ entry }) => entry.callId),
      record: { ...ledger.record, roundDue: others.length === 0 && !ledger.record.closing },
      facts: [...failures, ...settled.map(({ entry }) => resultFactOf(entry as ResultEntry))],
    },
  );
  return cutByText ? { ...closed, slice: { ...closed.slice, interruption: "text" } } : closed;
};

/** Settles inline calls that an interruption overtook before they could begin. */
export const skipInline = (ledger: Ledger, at: number): Ledger =>
  closeInline(
    ledger,
    inlineCalls(ledger).map(({ callId }) => ({
      callId,
      origin: "interrupted",
      content: notExecutedText("interrupted"),
    })),
    at,
  );

/** Settles inline calls that a process died over, while others are outstanding: nobody but that process had their results. */
export const closeLostInline = (ledger: Ledger): Ledger => {
  const { lost, now } = ledger;
  const gone = lostInline(ledger);
  return closeInline(
    { ...ledger, lost: lost.filter((callId) => !gone.includes(callId)) },
    gone.map((callId) => ({ callId, origin: "restart", error: true, content: restartText() })),
    now,
  );
};

/** The commit of a slice that took only what asks the model nothing. The failure that was in sight stays so. */
export const closeQuiet = (ledger: Ledger): Ledger => commitOf(ledger, { record: ledger.record, facts: [] });

/** The commit of a slice that asks the model nothing: it was stopped, or the count of rounds is used up. */
export const closeWithoutRound = (ledger: Ledger): Ledger => {
  const { now: at } = ledger;
  const { rounds } = ledger.limits;
  const stopped = controlsOf(ledger);
  const failure: Failure | null =
    ledger.record.rounds >= rounds && stopped.length === 0 && ledger.slice.interruption !== "control"
      ? {
          code: "ROUND_LIMIT",
          message: `The thread made ${rounds} rounds since the last input from outside. Write to it to go on.`,
          at,
        }
      : null;
  return commitOf(without(ledger, stopped), {
    consumed: stopped.map(({ seq }) => seq),
    record: { ...ledger.record, roundDue: false, ...(failure && { lastFailure: failure }) },
    facts: [],
    failure,
  });
};

/** Marks calls as handed over; delivery marks are written by the `dispatch` actor, not by a commit. */
export const markStarted = (ledger: Ledger, calls: readonly CallId[]): Ledger => ({
  ...ledger,
  calls: ledger.calls.map((call) => (calls.includes(call.callId) ? { ...call, status: "started" } : call)),
});
