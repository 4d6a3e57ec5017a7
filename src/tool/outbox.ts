import type { Envelope } from "../../machines/thread/input.ts";
import type { Clock } from "../clock.ts";
import { InputRefusedError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { Sender } from "./call.ts";
import { causeOf } from "./failure.ts";

/** ms before a delivery that failed is tried again: doubled each time, up to the last. */
const waits = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 30_000] as const;

/** What became of an envelope. `repeated`: the thread had seen its id, and nothing changed (R2). `stopped`: the call was aborted first, nobody wants it. */
export type Sent =
  | { readonly status: "delivered" | "repeated" | "stopped" }
  | { readonly status: "refused"; readonly reason: string };

/** What one call has to tell its thread, on its way. */
export interface Outbox {
  /** Envelopes that are not delivered yet. */
  readonly waiting: number;
  /** One envelope at a time, in the order they were given. Resolves once its fate is known; never rejects. */
  send(envelope: Envelope): Promise<Sent>;
}

export interface OutboxParts {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Once aborted nothing more is sent: nobody wants it. */
  readonly signal: AbortSignal;
}

/**
 * A refusal is final: the thread does not exist, is closed, or cannot take the envelope, and asking again changes nothing.
 * It is logged and the envelope given up. A full inbox is worked off in time; any other failure is the store's or the
 * network's. What a tool did must not be lost to either: the delivery is tried again with growing waits until it succeeds or the call is aborted.
 */
export const createOutbox = ({ sender, clock, logger, signal }: OutboxParts): Outbox => {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const done = () => {
        clock.clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = clock.setTimeout(done, ms);
      signal.addEventListener("abort", done);
    });

  const deliver = async (envelope: Envelope): Promise<Sent> => {
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        const isNew = await sender.send(envelope);
        // A try that failed may have been accepted all the same: what a later one repeats was delivered by it.
        return { status: isNew === false && tries === 0 ? "repeated" : "delivered" };
      } catch (error) {
        const { threadId, dedupId, input } = envelope;
        const about = { threadId, dedupId, kind: input.kind, error: causeOf(error) };
        if (signal.aborted) break;
        if (error instanceof InputRefusedError && !error.mayPass) {
          logger.error(about, "what a tool sent was refused and is given up");
          return { status: "refused", reason: error.reason };
        }
        const wait = waits[Math.min(tries, waits.length - 1)] ?? waits[0];
        logger.warn({ ...about, wait }, "what a tool sent was not delivered and is sent again");
        await rest(wait);
      }
    }
    return { status: "stopped" };
  };

  return {
    get waiting() {
      return waiting;
    },
    send(envelope) {
      waiting++;
      const sent = tail.then(() => deliver(envelope)).finally(() => waiting--);
      tail = sent;
      return sent;
    },
  };
};
