import type { InspectionEvent, Observer } from "xstate";
import type { Logger } from "../logger.ts";

export type Inspector = Observer<InspectionEvent> | ((event: InspectionEvent) => void);

/**
 * An observer that cannot break what it observes: XState lets an error of an observer fall into `send` and `createActor`.
 * The first error is logged; from then on the observer is left alone.
 */
export const guardedInspector = (inspector: Inspector, logger: Logger): ((event: InspectionEvent) => void) => {
  let broken = false;
  return (event) => {
    if (broken) return;
    try {
      if (typeof inspector === "function") inspector(event);
      else inspector.next?.(event);
    } catch (error) {
      broken = true;
      logger.error({ error: String(error) }, "the inspection observer failed; it hears nothing more");
    }
  };
};
