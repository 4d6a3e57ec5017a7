import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Call, ThreadState } from "../../../machines/thread/commit.ts";
import type { Envelope } from "../../../machines/thread/input.ts";
import type { threadMachine } from "../../../machines/thread/machine.ts";
import { InputRefusedError, ThreadQuarantinedError } from "../../errors.ts";
import type { LoadedThread } from "../../store/store.ts";
import type { ThreadEnvironment } from "../../thread/environment.ts";
import { StoppedWaiting } from "../../thread/persist.ts";
import { Resident } from "../../thread/resident.ts";
import { timerEnvelope } from "../timers.ts";
import { atWork, type WorkParts } from "./work.ts";

export interface SliceParts extends WorkParts {
  readonly env: ThreadEnvironment;
  readonly machine: typeof threadMachine;
  /** The threads that this system runs at this moment; each for one slice. */
  readonly running: Map<ThreadId, Resident>;
  readonly send: (envelopes: readonly Envelope[]) => Promise<unknown>;
}

export interface Slice {
  readonly outcome: "completed" | "skipped" | "failed";
  readonly state: ThreadState | null;
  readonly more: boolean;
  readonly error?: Error;
  /** Threads that were written to or opened, in order. */
  readonly reached: readonly ThreadId[];
  /** Outstanding when it ended. */
  readonly calls: readonly Call[];
}

/** How the actor of a slice ended. */
type End = { readonly how: "rested" | "ended" } | { readonly how: "died"; readonly cause: unknown };

const errorOf = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

const nothing = { reached: [], calls: [] } as const;

/** What is due for a thread goes into its inbox; a repetition is dropped there (R2). */
const deliverDue = async (threadId: ThreadId, { env: { store, clock }, send }: SliceParts): Promise<void> => {
  const due = await store.timers({ after: Number.NEGATIVE_INFINITY, until: clock.now(), threadId });
  if (due.length > 0) await send(due.map(timerEnvelope));
};

/**
 * Loads a thread, lets it go on until it rests, and drops it. Its lease is the caller's: nobody else runs the thread (R8).
 * `isLeft`: who had the lease before never gave it back. `watch` is handed the actor as soon as there is one.
 */
export const runSlice = async (
  threadId: ThreadId,
  parts: SliceParts,
  { isLeft, watch }: { readonly isLeft: boolean; readonly watch: (resident: Resident) => void },
): Promise<Slice> => {
  await deliverDue(threadId, parts);
  const loaded = await parts.env.store.load(threadId);
  if (!loaded) {
    const error = new InputRefusedError(threadId, "there is no such thread. Open or launch it first.");
    return { outcome: "failed", state: null, more: false, error, ...nothing };
  }
  return runLoaded(loaded, parts, { isLeft, watch });
};

const runLoaded = async (
  loaded: LoadedThread,
  parts: SliceParts,
  { isLeft, watch }: { readonly isLeft: boolean; readonly watch: (resident: Resident) => void },
): Promise<Slice> => {
  const { machine, running, registry } = parts;
  const { clock, freshId } = parts.env;
  const { threadId } = loaded;
  const reached = new Set<ThreadId>();
  const working = await atWork(loaded.calls, parts);
  const env: ThreadEnvironment = {
    ...parts.env,
    registry: { ...registry, has: (callId) => registry.has(callId) || working.has(callId) },
    opened(threads) {
      for (const opened of threads) reached.add(opened.threadId);
    },
    delivered(to, accepted) {
      reached.add(to);
      parts.env.delivered(to, accepted);
    },
  };
  const over = Promise.withResolvers<End>();
  const resident = new Resident(env, machine, loaded, {
    death: isLeft ? { of: "process", at: clock.now(), life: freshId() } : null,
    onDeath: (cause) => over.resolve({ how: "died", cause }),
    onEnd: () => over.resolve({ how: "ended" }),
    onState: (state) => state !== "running" && over.resolve({ how: "rested" }),
  });
  running.set(threadId, resident);
  try {
    resident.start();
    watch(resident);
    const end = await over.promise;
    await resident.settled();
    return sliceOf(resident, end, [...reached]);
  } finally {
    running.delete(threadId);
    resident.stop();
  }
};

const sliceOf = (resident: Resident, end: End, reached: readonly ThreadId[]): Slice => {
  const { snapshot, state, threadId } = resident;
  const { calls, record } = snapshot.context;
  if (end.how === "died") {
    // Another wrote: what this slice did since is not visible, and the other's is what counts.
    if (end.cause instanceof StoppedWaiting) return { outcome: "skipped", state: null, more: true, reached, calls };
    return { outcome: "failed", state: null, more: true, error: errorOf(end.cause), reached, calls };
  }
  if (record.quarantined && state !== "closed") {
    const error = new ThreadQuarantinedError(threadId, record.lastFailure?.message ?? record.quarantined.reason);
    return { outcome: "skipped", state, more: false, error, reached, calls };
  }
  return { outcome: "completed", state, more: snapshot.value === "stopped", reached, calls };
};
