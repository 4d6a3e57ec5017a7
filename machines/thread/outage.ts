import { askedAgainAt, lastInstant, writeToAskAgain } from "../round/retry.ts";
import type { Failure, RoundOutput } from "../round/turn.ts";
import type { Ledger } from "./ledger.ts";

/** A request that was given up: its tries are used up, or asking again at once cannot help. */
export interface GivenUp {
  readonly threadId: string;
  readonly code: Failure["code"];
  readonly message: string;
  /** How often in a row, this time included: 1 for the first. What the user writes begins the count anew. */
  readonly times: number;
}

/** ms until the same is asked again; null: the thread rests until somebody writes. */
export type RetryAfter = (failure: GivenUp) => number | null;

/** Of the model, and not of what it was asked or what it said: the same request may pass later. */
const mayPass: ReadonlySet<Failure["code"]> = new Set(["MODEL_UNAVAILABLE", "MODEL_FAILED"]);

/**
 * What becomes of a round that was given up. Where the thread outlasts an outage, it is as one that was postponed: nothing
 * of its answer is kept, its inputs are in the history, a timer asks again, and nobody above is told of a failure. When
 * the waits are used up, the failure is for good.
 */
export const askedAgainLater = ({ threadId, limits, slice }: Ledger, output: RoundOutput): RoundOutput => {
  const { outcome, failure, at } = output;
  const { givenUp } = slice;
  if (outcome === "postponed" && output.retry)
    return givenUp > 0 ? { ...output, retry: { ...output.retry, givenUp } } : output;
  if (outcome !== "failed" || !failure || !mayPass.has(failure.code)) return output;
  const times = givenUp + 1;
  const wait = limits.retryAfter?.({ threadId, times, ...failure }) ?? null;
  if (wait === null) return output;
  const due = Math.min(at + wait, lastInstant);
  const { code, message } = failure;
  const said = message.endsWith(writeToAskAgain) ? message.slice(0, -writeToAskAgain.length) : message;
  return {
    ...output,
    outcome: "postponed",
    blocks: [],
    retry: { due, attempt: 1, givenUp: times },
    failure: { code, message: `${said} ${askedAgainAt(due)}` },
  };
};
