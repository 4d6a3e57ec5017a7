import type { ThreadCommit, ThreadRecord, Timer } from "./commit.ts";
import { aside } from "./judge.ts";
import type { Ledger } from "./ledger.ts";

/** Timers of the thread itself go with a commit that has a record, and are set anew by it. */
export const ownTimers = ({ retry, linger }: ThreadRecord): readonly Timer[] => [
  ...(retry ? [{ callId: null, purpose: "retry" as const, due: retry.due }] : []),
  ...(linger === null ? [] : [{ callId: null, purpose: "linger" as const, due: linger }]),
];

/** A commit of the record alone, which the thread waits for before it goes on with what it was about to do. */
export const noted = (
  ledger: Ledger,
  record: Partial<Ledger["record"]>,
  {
    consumed = [],
    facts = [],
    ...more
  }: Partial<Pick<ThreadCommit, "consumed" | "facts" | "calls" | "repair" | "summary">> = {},
): Ledger => {
  const after = { ...ledger.record, ...record };
  return {
    ...ledger,
    record: after,
    inbox: ledger.inbox.filter(({ seq }) => !consumed.includes(seq)),
    version: ledger.version + 1,
    commit: { ...aside(ledger, consumed, facts), ...more, record: after, timers: ownTimers(after) },
  };
};
