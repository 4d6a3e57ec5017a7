import type { Clock } from "../clock.ts";
import { LeaseHeldError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { runnerLease } from "../store/lease-names.ts";
import type { SharedStore } from "../store/store.ts";

export interface LeaseOptions {
  readonly store: Pick<SharedStore, "lease" | "release">;
  /** Default: that of all threads of the store. */
  readonly name?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Who asks: shown to the next that does. */
  readonly holder: string;
  /** ms without a renewal after which another may take over. */
  readonly ttl: number;
  /** Called once, when the lease was lost to another; nothing of this system may be committed from then on. */
  readonly onLost: (by: string) => void;
}

/** A lease that is renewed at a third of its time, until it is given back. */
export interface HeldLease {
  /** Who held it before never gave it back. */
  readonly isAbandoned: boolean;
  /** Gives the lease back, so that the next need not wait. Never rejects. A second call does nothing. */
  release(): Promise<void>;
}

/** Rejects with LeaseHeldError, which says who has the lease and until when. */
export const holdLease = async (options: LeaseOptions): Promise<HeldLease> => {
  const { store, name = runnerLease, clock, logger, holder, ttl, onLost } = options;
  const first = await store.lease(name, holder, ttl, clock.now()).catch(async (error) => {
    // It may have been taken all the same, and nobody would renew it or give it back.
    await store.release(name, holder).catch(() => {});
    throw error;
  });
  if (!first.held) throw new LeaseHeldError(first.by, first.until, first.name ?? name);
  let over = false;
  let timer: unknown;
  const renew = async (): Promise<void> => {
    try {
      const outcome = await store.lease(name, holder, ttl, clock.now());
      if (over) return;
      if (!outcome.held) {
        over = true;
        return onLost(outcome.by);
      }
    } catch (error) {
      logger.error({ error: String(error) }, "the lease could not be renewed; it is tried again");
    }
    if (!over) arm();
  };
  const arm = (): void => {
    timer = clock.setTimeout(() => void renew(), ttl / 3);
  };
  arm();
  return {
    isAbandoned: first.isAbandoned === true,
    async release() {
      if (over) return;
      over = true;
      clock.clearTimeout(timer);
      try {
        await store.release(name, holder);
      } catch (error) {
        logger.warn({ error: String(error) }, "the lease could not be given back; it runs out by itself");
      }
    },
  };
};
