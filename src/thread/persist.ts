import type { Clock } from "../clock.ts";
import { StoreClosedError, StoreCorruptError } from "../errors.ts";
import type { Logger } from "../logger.ts";

/** ms before a failed write or read of the store is tried again: doubled each time, up to the last. */
const waits = [50, 100, 200, 400, 800, 1_600, 3_200, 5_000] as const;

/** The system stopped while the store did not answer: what waits in the store is taken up by the next start. */
export class StoppedWaiting extends Error {
  override readonly name = "StoppedWaiting";
}

/** What no waiting mends: the store was closed, or what it holds cannot be read. */
const isFinal = (error: unknown): boolean => error instanceof StoreClosedError || error instanceof StoreCorruptError;

/**
 * Tries until the store answers: a thread whose store is away waits for it, and goes on where it was. Rejects with
 * StoppedWaiting when `signal` aborts, and with the store's error when that cannot pass, or has not for `patience` ms.
 */
export const persist = async <T>(
  what: string,
  attempt: () => Promise<T>,
  {
    clock,
    logger,
    signal,
    patience = Number.POSITIVE_INFINITY,
  }: { clock: Clock; logger: Logger; signal: AbortSignal; patience?: number | undefined },
): Promise<T> => {
  let waited = 0;
  for (let tries = 0; ; tries++) {
    if (signal.aborted) throw new StoppedWaiting(what);
    try {
      return await attempt();
    } catch (error) {
      if (isFinal(error) || waited >= patience) throw error;
      const wait = waits[Math.min(tries, waits.length - 1)] ?? 5_000;
      waited += wait;
      logger.error({ what, wait, error: String(error) }, "the store failed; the thread waits and tries again");
      await new Promise<void>((resolve) => {
        const id = clock.setTimeout(done, wait);
        signal.addEventListener("abort", done, { once: true });
        function done() {
          clock.clearTimeout(id);
          signal.removeEventListener("abort", done);
          resolve();
        }
      });
    }
  }
};
