import type { Clock } from "../clock.ts";
import type { Resident } from "../thread/resident.ts";

/** Which threads leave memory, and when. Threads that rest are in the store as they are: they come back on input. */
export interface Hibernation {
  /** The thread came into memory, was told something, or came to rest. */
  used(resident: Resident): void;
  /** It is no longer in memory, whatever the reason. */
  gone(resident: Resident): void;
  stop(): void;
}

export interface HibernationOptions {
  readonly clock: Clock;
  /** ms at rest after which a thread leaves memory. */
  readonly after: number;
  /** Threads in memory; more leave at once, if they rest, the least recently used first. */
  readonly most: number;
  /** Takes a thread that rests out of memory. */
  readonly sleep: (resident: Resident) => void;
}

/** A timer of Node's that is for tidiness alone keeps no process alive. */
const letGo = (timer: unknown): void => {
  const node = (timer as { timer?: { unref?: () => void } } | undefined)?.timer;
  node?.unref?.();
};

/** One timer for all threads, and one walk over those that are due. */
export const createHibernation = ({ clock, after, most, sleep }: HibernationOptions): Hibernation => {
  /** When each was used last, the least recent first. */
  const lastUse = new Map<Resident, number>();
  let timer: unknown;
  let stopped = false;

  const arm = (): void => {
    const [oldest] = lastUse.values();
    if (timer !== undefined || oldest === undefined || stopped) return;
    // A thread that works too long to be due is looked at again when the others are.
    timer = clock.setTimeout(sweep, Math.max(oldest + after - clock.now(), after / 10));
    letGo(timer);
  };
  const sweep = (): void => {
    timer = undefined;
    const due = clock.now() - after;
    for (const [resident, at] of lastUse) {
      if (at > due) break;
      if (resident.mayHibernate) sleep(resident);
    }
    arm();
  };
  const makeRoom = (): void => {
    let left = lastUse.size - most;
    if (left <= 0) return;
    for (const resident of lastUse.keys()) {
      if (!resident.mayHibernate) continue;
      sleep(resident);
      if (--left <= 0) return;
    }
  };

  return {
    used(resident) {
      lastUse.delete(resident);
      lastUse.set(resident, clock.now());
      if (lastUse.size > most) makeRoom();
      arm();
    },
    gone: (resident) => void lastUse.delete(resident),
    stop() {
      stopped = true;
      clock.clearTimeout(timer);
    },
  };
};
