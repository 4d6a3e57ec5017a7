import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Timer } from "../../../machines/thread/commit.ts";

export type StoredTimer = Timer & { readonly threadId: ThreadId };

interface Armed {
  /** Grows with every timer set: keeps timers of one instant in the order they were set. */
  readonly order: number;
  readonly timer: StoredTimer;
}

/**
 * All timers of a store, sorted by instant, then by the order they were set. The soonest and a window are found by
 * bisection; setting and clearing move what lies behind, which is a few µs for a hundred thousand timers.
 */
export interface TimerIndex {
  /** Replaces the timer that the call, or the thread itself, has for that purpose. */
  set(threadId: ThreadId, timer: Timer): void;
  /** Takes away all timers of a call (S7), or all that are the thread's own (S12). */
  clear(owner: CallId | ThreadId): void;
  /** Timers with `after < due <= until`, soonest first. */
  between(after: number, until: number): StoredTimer[];
  /** The soonest instant after `after`. */
  next(after: number): number | undefined;
}

export const timerIndex = (): TimerIndex => {
  const sorted: Armed[] = [];
  /** A thread's id has no `#` and a call's has, so owners of both kinds are told apart. */
  const byOwner = new Map<CallId | ThreadId, Armed[]>();
  let set = 0;

  /** How many timers are due up to `due`; of those due exactly then, how many were set up to `order`. */
  const countUntil = (due: number, order: number): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { timer, order: other } = sorted[middle] as Armed;
      if (timer.due < due || (timer.due === due && other <= order)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const remove = ({ timer, order }: Armed): void => {
    sorted.splice(countUntil(timer.due, order) - 1, 1);
  };

  return {
    set(threadId, timer) {
      const owner = timer.callId ?? threadId;
      const others = byOwner.get(owner) ?? [];
      const kept = others.filter((armed) => armed.timer.purpose !== timer.purpose || remove(armed));
      const armed: Armed = { order: ++set, timer: { ...timer, threadId } };
      sorted.splice(countUntil(timer.due, armed.order), 0, armed);
      byOwner.set(owner, [...kept, armed]);
    },
    clear(owner) {
      const armed = byOwner.get(owner);
      if (!armed) return;
      armed.forEach(remove);
      byOwner.delete(owner);
    },
    between: (after, until) => sorted.slice(countUntil(after, set), countUntil(until, set)).map((armed) => armed.timer),
    next: (after) => sorted[countUntil(after, set)]?.timer.due,
  };
};
