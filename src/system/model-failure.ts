import type { GivenUp, RetryAfter } from "../../machines/thread/outage.ts";
import { OptionError } from "../errors.ts";
import type { Logger } from "../logger.ts";

/**
 * What a thread does when the tries of a request are used up. `rest`: it waits for a text. `retryAfter`: it rests as well,
 * and asks again by itself, also after a restart: after so many ms the first time, the second, and so on, then no more; or
 * after what a function says, which is asked each time anew (null: no more). What the function throws is logged, and the
 * thread rests.
 */
export type OnModelFailure =
  | "rest"
  | { readonly retryAfter: readonly number[] | ((failure: GivenUp) => number | null | undefined) };

const isWait = (wait: unknown): wait is number => typeof wait === "number" && Number.isFinite(wait) && wait > 0;

/** The waits of the option; undefined: none. Throws OptionError for what is none of its forms. */
export const retryAfterOf = (given: OnModelFailure | undefined, logger: Logger): RetryAfter | undefined => {
  if (given === undefined || given === "rest") return undefined;
  const waits: unknown = typeof given === "object" && given !== null ? given.retryAfter : undefined;
  if (typeof waits === "function") return guarded(waits as (failure: GivenUp) => unknown, logger);
  if (!Array.isArray(waits))
    throw new OptionError(
      "onModelFailure",
      `is ${JSON.stringify(given)}; it takes "rest", or { retryAfter } with a list of ms or a function`,
    );
  const wrong = waits.findIndex((wait) => !isWait(wait));
  if (wrong >= 0)
    throw new OptionError(
      `onModelFailure.retryAfter[${wrong}]`,
      `is ${String(waits[wrong])}; it takes a positive number of ms`,
    );
  const list: readonly number[] = [...waits];
  return ({ times }) => list[times - 1] ?? null;
};

const guarded =
  (ask: (failure: GivenUp) => unknown, logger: Logger): RetryAfter =>
  (failure) => {
    try {
      const wait = ask(failure);
      if (wait === null || wait === undefined) return null;
      if (isWait(wait)) return wait;
      const { threadId } = failure;
      logger.error(
        { threadId, answer: String(wait) },
        "onModelFailure.retryAfter takes a positive number of ms, or null; the thread rests",
      );
    } catch (error) {
      logger.error(
        { threadId: failure.threadId, error: String(error) },
        "onModelFailure.retryAfter failed; the thread rests",
      );
    }
    return null;
  };
