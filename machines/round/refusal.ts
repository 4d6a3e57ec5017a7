import type { BrokenTry } from "./events.ts";
import { failureAfter } from "./retry.ts";
import type { RoundLimits, RoundOutput } from "./turn.ts";

/**
 * Whether a refusal may be one of calls that the model did not make. The request is then asked once more with its events
 * as text, whatever the reason was: providers name none that could be told apart.
 */
export const mayRefuseEventCalls = (broken: BrokenTry, eventsAs: "text" | null): boolean =>
  eventsAs === null && broken.refused === "content" && broken.eventCalls === true;

/** Why a round gives up after try `attempt`: too long a request has a code of its own, for a shorter one may pass. */
export const failureOf = (
  attempt: number,
  broken: BrokenTry,
  limits: RoundLimits,
): NonNullable<RoundOutput["failure"]> =>
  broken.refused === "length"
    ? {
        code: "CONTEXT_TOO_LONG",
        message: `${broken.message} The thread's history is longer than this model takes: use a model with a larger context window, or write to another thread.`,
      }
    : failureAfter(attempt, broken, limits);
