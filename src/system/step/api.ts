import type { ThreadState } from "../../../machines/thread/commit.ts";

export interface SliceOptions {
  /**
   * Told of work that outlives the slices, one promise for each thread: tools that run, dispatches that are not acknowledged
   * yet. The promise never rejects; it resolves, once what came of it is durable, to the threads to bring back. Left out:
   * `slices` waits for the work itself.
   */
  readonly waitUntil?: (work: Promise<{ readonly wake: readonly string[] }>) => void;
  /** ms after which no round begins any more; those that go on end as they would. Default: none. */
  readonly budget?: number;
}

/**
 * What became of one thread. `completed`: it rests, or has `more` to do when the budget is used up. `skipped`: somebody else
 * runs it at this moment, or it is set aside; what was accepted waits. `failed`: `error` says why.
 */
export interface SteppedThread {
  readonly threadId: string;
  readonly outcome: "completed" | "skipped" | "failed";
  /** Null where it is not known: there is no such thread, or somebody else runs it. */
  readonly state: ThreadState | null;
  /** It is not done with what waits for it now: bring it back. */
  readonly more: boolean;
  readonly error?: Error;
}

export interface Stepped {
  /** In the order in which the batch named them first, each once. */
  readonly threads: readonly SteppedThread[];
  /** Threads to bring back at once, each once: those with more to do, and those that were written to or opened. */
  readonly wake: readonly string[];
  /** The soonest timer of each thread of the batch: bring the thread back at that instant (ms since the epoch), or later. */
  readonly timers: readonly { readonly threadId: string; readonly at: number }[];
}
