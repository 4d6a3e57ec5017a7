import type { InspectionEvent, Observer } from "xstate";
import type { Logger } from "../logger.ts";

/** What XState takes to observe actors: an observer, or a function. */
export type Inspector = Observer<InspectionEvent> | ((event: InspectionEvent) => void);

/**
 * An observer that cannot break what it observes: XState lets an error of an observer fall into `send` and `createActor`,
 * and a promise that nobody catches ends the process. The first error is logged and told to `onBroken`; from then on the
 * observer is left alone.
 */
export const guardedInspector = (
  inspector: Inspector,
  logger: Logger,
  onBroken: () => void = () => {},
): ((event: InspectionEvent) => void) => {
  let broken = false;
  const failed = (error: unknown): void => {
    if (broken) return;
    broken = true;
    logger.error({ error: told(error) }, "the inspection observer failed; it hears nothing more");
    onBroken();
  };
  return (event) => {
    if (broken) return;
    try {
      const answer: unknown = typeof inspector === "function" ? inspector(event) : inspector.next?.(event);
      if (isPromise(answer)) answer.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  };
};

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** What was thrown may be unreadable. */
const told = (error: unknown): string => {
  try {
    return String(error);
  } catch {
    return "an error that cannot be read";
  }
};
