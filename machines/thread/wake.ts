import type { Subscription, ThreadCommit } from "./commit.ts";
import { sortIn } from "./judge.ts";
import { answerTo, isEvent, type Ledger } from "./ledger.ts";

export interface Woken {
  readonly ledger: Ledger;
  /** Takes out of the inbox what came in and was not judged before the process ended; null when all is kept. */
  readonly commit: ThreadCommit | null;
  /** Subscriptions whose producer ended with its process. */
  readonly silent: readonly Subscription[];
}

/**
 * The thread comes into memory. Its inbox is judged as if it came just now. What a restart does to a call is read off its
 * status: `committed` is handed over by the state that follows; `started` begins again or is lost, as its tool said
 * (`onRestart`); `acknowledged` goes on waiting, and so does what is at work in this process. A result that is there
 * already counts more than all of this.
 */
export const wake = (asleep: Ledger): Woken => {
  const { working } = asleep;
  const { ledger, commit } = sortIn({ ...asleep, inbox: [] }, asleep.inbox);
  const cutOff = ledger.calls.filter(
    ({ callId, status, form }) =>
      status === "started" && form !== "builtin" && !working.includes(callId) && !answerTo(ledger, callId),
  );
  const again = cutOff.filter(({ onRestart }) => onRestart === "again");
  return {
    commit,
    silent: ledger.subscriptions
      .filter(({ callId, form }) => form === "subscribe" && !working.includes(callId))
      .map((subscription) => ({ ...subscription, ...lastEventOf(ledger, subscription) })),
    ledger: {
      ...ledger,
      calls: ledger.calls.map((call) => (again.includes(call) ? { ...call, status: "committed" } : call)),
      lost: cutOff.filter((call) => !again.includes(call)).map(({ callId }) => callId),
    },
  };
};

/** The last event that was accepted: it waits in the inbox, or the record has it. */
const lastEventOf = ({ inbox }: Ledger, { callId, lastEventId }: Subscription): Pick<Subscription, "lastEventId"> => {
  const waiting = inbox.filter(isEvent).findLast(({ input }) => input.callId === callId)?.dedupId;
  const last = waiting ?? lastEventId;
  return last === undefined ? {} : { lastEventId: last };
};
