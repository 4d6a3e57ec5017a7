import type { ThreadId } from "../../machines/history/ids.ts";
import type { Timer } from "../../machines/thread/commit.ts";
import type { Envelope } from "../../machines/thread/input.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { Store } from "../store/store.ts";

/** Brings every timer of the store to its thread once it is due. Also after a restart: the overdue fire at once. */
export interface TimerService {
  /** A commit may have set a sooner timer: looks again. */
  changed(): void;
  stop(): void;
}

export interface TimerDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Accepts the envelopes; repetitions are dropped there (R2), so firing twice does no harm. */
  readonly deliver: (envelopes: readonly Envelope[]) => Promise<unknown>;
}

/** ms before the timers are looked at again when the store failed. */
const again = 1_000;
/**
 * ms that no look is put off beyond. Timers are due at a time of day, and Node's own count what passes: a clock that is set
 * forward, or a machine that sleeps, would make the next one late by as much.
 */
const longest = 60_000;

export const timerEnvelope = ({ threadId, ...timer }: Timer & { readonly threadId: ThreadId }): Envelope => ({
  threadId,
  dedupId: `${timer.purpose}:${timer.due}`,
  input:
    timer.callId === null
      ? { kind: timer.purpose, due: timer.due }
      : { kind: "timer", callId: timer.callId, purpose: timer.purpose, due: timer.due },
});

export const startTimers = ({ store, clock, logger, deliver }: TimerDependencies): TimerService => {
  /** Timers that were delivered and that no commit has taken away yet. */
  let delivered: ReadonlySet<string> = new Set();
  let armed: { due: number; id: unknown } | undefined;
  let looking = false;
  let lookAgain = false;
  let stopped = false;

  const arm = (due: number): void => {
    if (armed && armed.due <= due) return;
    if (armed) clock.clearTimeout(armed.id);
    armed = { due, id: clock.setTimeout(() => look(true), Math.min(Math.max(0, due - clock.now()), longest)) };
  };

  /** Looks at all that are due: a commit may have set one that was overdue already. */
  const deliverDue = async (now: number): Promise<void> => {
    const due = await store.timers({ after: Number.NEGATIVE_INFINITY, until: now });
    const keys = due.map(({ threadId, callId, purpose, due }) => JSON.stringify([threadId, callId, purpose, due]));
    const late = due.filter((_, index) => !delivered.has(keys[index] ?? ""));
    if (late.length > 0) await deliver(late.map(timerEnvelope));
    delivered = new Set(keys);
  };

  const look = (fires: boolean): void => {
    if (fires) armed = undefined;
    if (stopped) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = true;
    void (async () => {
      try {
        do {
          lookAgain = false;
          const now = clock.now();
          await deliverDue(now);
          const next = await store.nextTimer(now);
          if (next !== undefined && !stopped) arm(next);
        } while (lookAgain && !stopped);
      } catch (error) {
        if (!stopped) {
          logger.error({ error: String(error) }, "the timers could not be read; they are looked at again");
          arm(clock.now() + again);
        }
      } finally {
        looking = false;
      }
    })();
  };

  look(false);
  return {
    changed: () => look(false),
    stop() {
      stopped = true;
      if (armed) clock.clearTimeout(armed.id);
    },
  };
};
