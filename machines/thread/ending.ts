import type { CallId } from "../history/ids.ts";
import type { Failure } from "../round/turn.ts";
import { commitOf } from "./close.ts";
import { callsToStop } from "./decide.ts";
import type { WaitingInput } from "./input.ts";
import { discardInput, takeInput } from "./intake.ts";
import {
  isClose,
  isDeferrable,
  isEnded,
  isHalt,
  isInterrupt,
  isInterruptingText,
  isResume,
  isRetry,
  type Ledger,
  noSlice,
} from "./ledger.ts";
import { settleAll } from "./settle.ts";

/** What its owner does to a thread: everything outstanding is settled, and what follows is one commit. */
export interface Stopped {
  readonly ledger: Ledger;
  /** Calls that are told to stop. */
  readonly calls: readonly CallId[];
}

const settled = (ledger: Ledger, interruption: "halt" | "close"): Ledger =>
  settleAll({ ...ledger, slice: { ...noSlice, interruption, consumed: ledger.slice.consumed } }, []).ledger;

/** Taken without effect: what it stands for is done by this commit. */
const acted = (ledger: Ledger, isOne: (waiting: WaitingInput) => boolean): Ledger => ({
  ...ledger,
  inbox: ledger.inbox.filter((waiting) => !isOne(waiting)),
  slice: {
    ...ledger.slice,
    consumed: [...ledger.slice.consumed, ...ledger.inbox.filter(isOne).map(({ seq }) => seq)],
  },
});

/**
 * The thread is halted: outstanding calls are settled (a result that is there already is kept), deferrable inputs are
 * discarded, a text that came before goes into the history unasked. Its children are halted by the same commit. What came
 * behind is as if the thread had been halted by then: it is discarded too, up to the text that resumes the thread.
 *
 * `reached`: no halt came, but the budget of the tree is used up. That resumes by no text that is there already, and the
 * root is told, which halts all others.
 */
export const beginHalt = (given: Ledger, reached: Failure | null = null): Stopped => {
  const calls = callsToStop(given);
  const halts = given.inbox.filter(isHalt);
  const halt = reached ? Number.POSITIVE_INFINITY : Math.max(...halts.map(({ seq }) => seq));
  const failure = reached ?? toldFailure(given, halts);
  const budget = failure ? { budget: failure.message } : {};
  const resumption = given.inbox.find(
    (waiting) => waiting.seq > halt && (isInterruptingText(waiting) || isResume(waiting)),
  );
  const isBehind = ({ seq }: WaitingInput) => resumption !== undefined && seq >= resumption.seq;
  const stopped = acted(
    settled(given, "halt"),
    (waiting) =>
      isHalt(waiting) || isInterrupt(waiting) || isRetry(waiting) || (isResume(waiting) && !isBehind(waiting)),
  );
  const heard = stopped.inbox.reduce((ledger, waiting) => {
    if (isBehind(waiting)) return ledger;
    if (isEnded(waiting) || isInterruptingText(waiting)) return takeInput(ledger, waiting);
    return isDeferrable(waiting) ? discardInput(ledger, waiting, "halted") : ledger;
  }, stopped);
  const tellings = heard.children.map(({ threadId }) => ({
    threadId,
    dedupId: `halted:${heard.version}`,
    input: { kind: "halt" as const, sender: heard.threadId, ...budget },
  }));
  const { slice, opening, threadId, version } = heard;
  const root = reached && opening?.stack[0];
  if (root)
    tellings.push({
      threadId: root,
      dedupId: `budget:${version}`,
      input: { kind: "halt", sender: threadId, ...budget },
    });
  return {
    calls,
    ledger: commitOf(
      { ...heard, slice: { ...slice, sent: [...slice.sent, ...tellings] } },
      {
        record: {
          ...heard.record,
          halted: true,
          roundDue: false,
          retry: null,
          ...(failure && { lastFailure: failure }),
        },
        // A text that came before resumed it on the way.
        facts: heard.record.halted ? [] : [{ type: "thread.halted", ...(failure && { reason: "budget" as const }) }],
        failure,
      },
    ),
  };
};

/** A halt that came from elsewhere in the tree says of its budget what is not said of this thread yet. */
const toldFailure = ({ record, now: at }: Ledger, halts: readonly WaitingInput[]): Failure | null => {
  if (record.halted) return null;
  const messages = halts.flatMap(({ input }) => (input.kind === "halt" && input.budget ? [input.budget] : []));
  return messages[0] === undefined ? null : { code: "BUDGET_REACHED", message: messages[0], at };
};

/** The thread is to close: outstanding calls are settled, and the commit winds everything up. */
export const beginClosing = (given: Ledger): Stopped => ({
  calls: callsToStop(given),
  ledger: commitOf(acted(settled(given, "close"), isClose), {
    record: {
      ...given.record,
      closing: given.record.closing ?? { report: null, told: false },
      roundDue: false,
      retry: null,
    },
    facts: [],
  }),
});
