import type { Clock } from "../clock.ts";

/** A clock that stands still until somebody turns it. */
export interface VirtualClock extends Clock {
  /**
   * Turns the clock by `ms`. It stops at each instant at which something is due, in order, calls what is due there in the
   * order it was set, and lets what follows settle before it goes on. `ms` of 0 calls what is due already.
   */
  advance(ms: number, settled?: () => Promise<unknown>): Promise<void>;
  /** Instants at which something is due, ascending. */
  readonly due: readonly number[];
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fn: () => void;
}

/** Lets promises, and what they start, settle: several turns of the event loop. */
export const settle = async (turns = 8): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** `start`: ms since the epoch. */
export const virtualClock = (start = 0): VirtualClock => {
  const timers = new Map<number, Timer>();
  let now = start;
  let count = 0;

  const soonest = (): number | undefined => {
    let first: number | undefined;
    for (const { at } of timers.values()) if (first === undefined || at < first) first = at;
    return first;
  };

  return {
    now: () => now,
    setTimeout(fn, delay) {
      const order = ++count;
      timers.set(order, { at: now + Math.max(0, delay), order, fn });
      return order;
    },
    clearTimeout: (id) => void timers.delete(id as number),
    get due() {
      return [...timers.values()].map(({ at }) => at).sort((a, b) => a - b);
    },
    async advance(ms, settled = settle) {
      const until = now + ms;
      await settled();
      for (let at = soonest(); at !== undefined && at <= until; at = soonest()) {
        now = Math.max(now, at);
        // What is due at one instant is called together: nothing settles in between. A timer set meanwhile comes after.
        const together = [...timers.values()].filter((timer) => timer.at <= now).sort((a, b) => a.order - b.order);
        for (const { order, fn } of together) if (timers.delete(order)) fn();
        await settled();
      }
      now = until;
    },
  };
};
