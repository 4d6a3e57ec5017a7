import type { CallId } from "../../../machines/history/ids.ts";
import { type Call, type DiscardReason, isActive, type Timer } from "../../../machines/thread/commit.ts";
import { stopWaits, textInterrupts } from "../../../machines/thread/decide.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";
import {
  answerTo,
  hasActiveUnanswered,
  isAnswer,
  isDeferrable,
  type Ledger,
  ledgerOf,
  unanswered,
} from "../../../machines/thread/ledger.ts";
import { wake } from "../../../machines/thread/wake.ts";
import { defaultLimits } from "../../system/limits.ts";
import type { Reading } from "./reading.ts";

/**
 * What becomes of an input that waits. `deferred`: held back while an active call is outstanding (R4). `kept`: the result
 * of a call, while another is outstanding. `next`: in the slice that is under way or in the next one. `handed over`: to the
 * application. `discarded`: it will never be in the history.
 */
export type Standing =
  | { readonly standing: "deferred" | "kept"; readonly whileOutstanding: readonly CallId[] }
  | { readonly standing: "next" | "handed over" }
  | { readonly standing: "discarded"; readonly reason: DiscardReason };

/** What can end the wait for a call (R9). `due`: ms since the epoch. */
export type Ending =
  | { readonly by: "result"; readonly from: "its tool" | "anybody" }
  | { readonly by: "wake" | "deadline" | "expiry"; readonly due: number }
  | { readonly by: "input" | "interruption" | "restart" | "approval" };

export interface StandingCall extends Call {
  /** When it was made; null where the history does not tell. */
  readonly since: number | null;
  /** Its result, or the end of its time, is among the inputs that wait. */
  readonly isAnswered: boolean;
  /** It was at work in a process that is gone, and the next start settles it as lost. */
  readonly isLost: boolean;
  readonly endedBy: readonly Ending[];
}

export type StandingInput = WaitingInput & Standing;

export interface Standings {
  readonly calls: readonly StandingCall[];
  readonly waiting: readonly StandingInput[];
}

/**
 * How the machine itself judges what is outstanding and what waits: as a thread that comes into memory does. Where nobody
 * runs the threads, the calls that were at work in a process are judged as the next start will.
 */
export const standingsOf = ({ thread, timers, runner, since }: Reading): Standings => {
  const { calls, subscriptions, inbox } = thread;
  const { tries, silence, slowRetry } = defaultLimits;
  const working = runner ? [...calls, ...subscriptions].map(({ callId }) => callId) : [];
  const limits = { ...defaultLimits, round: { tries, silence, slowRetry } };
  const { ledger, commit } = wake(ledgerOf({ ...thread, working, limits, freshId: "" }));
  const outs = new Map(commit?.consumed.map((seq, index) => [seq, commit.facts[index]]));

  return {
    calls: calls.map((call) => ({
      ...call,
      since: since.get(call.callId) ?? null,
      isAnswered: answerTo(ledger, call.callId) !== undefined,
      isLost: ledger.lost.includes(call.callId),
      endedBy: endingsOf(call, timers),
    })),
    waiting: inbox.map((waiting) => {
      if (!outs.has(waiting.seq)) return { ...waiting, ...standingOf(ledger, waiting) };
      const fact = outs.get(waiting.seq);
      return fact?.type === "input.discarded"
        ? { ...waiting, standing: "discarded", reason: fact.reason }
        : { ...waiting, standing: "handed over" };
    }),
  };
};

/** Of an input that was judged worth keeping. */
const standingOf = (ledger: Ledger, waiting: WaitingInput): Standing => {
  const isHeld = hasActiveUnanswered(ledger) && !textInterrupts(ledger) && !stopWaits(ledger);
  if (!isHeld || !(isDeferrable(waiting) || isAnswer(waiting))) return { standing: "next" };
  const active = unanswered(ledger).filter(isActive);
  return {
    standing: isDeferrable(waiting) ? "deferred" : "kept",
    whileOutstanding: active.map(({ callId }) => callId),
  };
};

const endingsOf = ({ callId, form, passive, status, onRestart }: Call, timers: readonly Timer[]): Ending[] => [
  ...(status === "proposed" ? [{ by: "approval" } as const] : []),
  ...(form === "builtin" || status === "proposed"
    ? []
    : [{ by: "result", from: form === "dispatch" ? "anybody" : "its tool" } as const]),
  ...timers.flatMap((timer) =>
    timer.callId !== null && timer.callId === callId ? [{ by: timer.purpose, due: timer.due }] : [],
  ),
  { by: passive ? "input" : "interruption" },
  ...(status === "started" && form !== "builtin" && onRestart === "fail" ? [{ by: "restart" } as const] : []),
];
