import type { Failure } from "../round/turn.ts";
import { commitOf } from "./close.ts";
import { rouses } from "./decide.ts";
import { answerTo, type Death, hasActiveUnanswered, isRelease, isText, type Ledger } from "./ledger.ts";
import { noted } from "./noted.ts";

/** A call that nobody but the process it was made in knows of: when that ends, the call was at work there, or about to be. */
const isWithProcess = (ledger: Ledger): boolean =>
  ledger.calls.some(
    ({ callId, form, status }) =>
      (status === "committed" || status === "started") &&
      form !== "builtin" &&
      !ledger.working.includes(callId) &&
      !answerTo(ledger, callId),
  );

/** Inputs of a life before this one wait, and nothing held them back: they were in the hands of that life. */
const batchIsLeft = (ledger: Ledger, { at }: Death): boolean =>
  !hasActiveUnanswered(ledger) && ledger.inbox.some((waiting) => waiting.at < at && rouses(ledger, waiting));

/**
 * A process died while the thread was at work: the record says that a slice goes on, a call was in its hands, or what would
 * have begun a slice waits still. Asked when a thread comes into memory, before anything of it is done.
 */
export const wasLeftAtWork = (ledger: Ledger): boolean => {
  const { death, record } = ledger;
  if (death === null || record.quarantined || record.state === "closed") return false;
  // It left memory since, and has come back: that was no death.
  if (record.countedIn === death.life) return false;
  return record.state === "running" || isWithProcess(ledger) || batchIsLeft(ledger, death);
};

/** It was begun again as often as may be, and each time the process died over it. */
export const diedTooOften = (ledger: Ledger): boolean =>
  wasLeftAtWork(ledger) && ledger.record.restarts >= ledger.limits.restarts;

/** It is counted before it is begun again, so that a death on the way counts. A rest with nothing in hand ends the count. */
export const countRestart = (ledger: Ledger): Ledger =>
  noted(ledger, { restarts: ledger.record.restarts + 1, countedIn: ledger.death?.life ?? null });

const died = ["process-died", "The process of this thread died"] as const;

/** The thread is set aside: what waits goes on waiting, nothing is begun, until a person releases it or writes to it. */
export const setAside = (ledger: Ledger): Ledger => {
  const { now: at, inbox, death } = ledger;
  const times = ledger.record.restarts + 1;
  const [reason, what] = death?.of === "actor" ? (["actor-failed", "The actor of this thread failed"] as const) : died;
  const failure: Failure = {
    code: "QUARANTINED",
    message: `${what} ${times} times in a row while it was at work, so it is set aside. Write to the thread, or release it, to go on.`,
    at,
  };
  const quarantined = { reason, times, at, upTo: inbox.at(-1)?.seq ?? 0 };
  return commitOf(ledger, {
    record: { ...ledger.record, quarantined, countedIn: death?.life ?? null, lastFailure: failure },
    failure,
    facts: [{ type: "thread.quarantined", reason, times }],
  });
};

/** A person lets it go on, or wrote to it since it was set aside. */
export const releaseWaits = ({ record: { quarantined }, inbox }: Ledger): boolean =>
  quarantined !== null &&
  inbox.some((waiting) => isRelease(waiting) || (isText(waiting) && waiting.seq > quarantined.upTo));

/** Its deaths are forgotten, and what it was about goes on. */
export const release = (ledger: Ledger): Ledger =>
  noted(
    ledger,
    { quarantined: null, restarts: 0 },
    { consumed: ledger.inbox.filter(isRelease).map(({ seq }) => seq), facts: [{ type: "thread.released" }] },
  );
