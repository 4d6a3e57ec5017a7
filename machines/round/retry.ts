import type { BrokenTry } from "./events.ts";
import type { RoundLimits, RoundOutput } from "./turn.ts";

/** ms; the base of the first backoff. */
const firstWait = 500;
/** ms; backoff grows no further. */
const longestBackoff = 32_000;
/** The last instant that a Date can say. */
export const lastInstant = 8.64e15;

/** Ends the message of a failure that nothing but a text of the user undoes. */
export const writeToAskAgain = " Write to the thread to ask again.";

/** Ends the message of a failure that the thread goes on from by itself; `due`: ms since the epoch. */
export const askedAgainAt = (due: number): string =>
  `It is asked again at ${new Date(due).toISOString()}, or when you write.`;

/**
 * ms between try `attempt` (from 1) and the next. The provider's wait where it named one; else 0.5 s doubled with each
 * try, up to 32 s, of which the jitter takes the second half. A provider that names less than 0.5 s ("0", a date gone by)
 * gets the longer of the two, for the tries would be used up at once.
 */
export const waitBefore = (attempt: number, { retryAfter = 0, jitter }: BrokenTry): number => {
  if (retryAfter >= firstWait) return retryAfter;
  const backoff = Math.min(firstWait * 2 ** (attempt - 1), longestBackoff);
  return Math.max(retryAfter, Math.round((backoff / 2) * (1 + jitter)));
};

/** Whether a round sits out the wait after try `attempt` and asks again. */
export const triesAgain = (attempt: number, broken: BrokenTry, { tries, slowRetry }: RoundLimits): boolean =>
  broken.retryable !== false && attempt < tries && waitBefore(attempt, broken) <= slowRetry;

/** Whether the wait after try `attempt` is too long to sit out: the round ends, and another asks again after it. */
export const isPostponed = (attempt: number, broken: BrokenTry, { tries, slowRetry }: RoundLimits): boolean =>
  broken.retryable !== false && attempt < tries && waitBefore(attempt, broken) > slowRetry;

/** The wait after try `attempt` as an instant, and what is said of it meanwhile. */
export const postponedAfter = (
  attempt: number,
  broken: BrokenTry,
): Required<Pick<RoundOutput, "failure" | "retry">> => {
  const due = Math.min(broken.at + waitBefore(attempt, broken), lastInstant);
  return {
    retry: { due, attempt: attempt + 1 },
    failure: {
      code: "MODEL_UNAVAILABLE",
      message: `${broken.message} ${askedAgainAt(due)}`,
    },
  };
};

/** Why a round gives up after try `attempt`, with what its owner can do. */
export const failureAfter = (
  attempt: number,
  broken: BrokenTry,
  { tries }: RoundLimits,
): NonNullable<RoundOutput["failure"]> =>
  broken.retryable === false
    ? { code: "MODEL_FAILED", message: broken.message }
    : {
        code: "MODEL_UNAVAILABLE",
        message: `${broken.message} That was try ${attempt} of ${tries}.${writeToAskAgain}`,
      };
