import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Envelope } from "../../../machines/thread/input.ts";
import { LeaseHeldError, OptionError } from "../../errors.ts";
import type { DoorLimits } from "../../queue/door.ts";
import { runnerLease, threadLease } from "../../store/lease-names.ts";
import type { Acceptance } from "../../store/store.ts";
import type { Resident } from "../../thread/resident.ts";
import { type HeldLease, holdLease } from "../lease.ts";
import type { SliceOptions, Stepped, SteppedThread } from "./api.ts";
import { acceptBatch } from "./batch.ts";
import { runSlice, type Slice, type SliceParts } from "./slice.ts";
import { outlivingWork } from "./work.ts";

export interface SlicesParts extends SliceParts {
  readonly send: (envelopes: readonly Envelope[]) => Promise<readonly Acceptance[]>;
  readonly limits: DoorLimits;
}

/** Threads of one batch that run at the same time. */
const atOnce = 32;

/** Runs `one` for each item, at most `atOnce` at a time; results in the order of the items. */
const each = async <T, R>(items: readonly T[], one: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  const waiting = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await one(next[1]);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
};

/** The time that the rounds of one call of `slices` may begin in. */
const budgetOf = (ms: number | undefined, { clock }: Pick<SliceParts, "clock">) => {
  if (ms !== undefined && !(typeof ms === "number" && ms > 0))
    throw new OptionError("budget", `is ${String(ms)}; it takes a positive number of ms`);
  const running = new Set<Resident>();
  let isSpent = false;
  const leave = (resident: Resident): void => {
    if (resident.snapshot.status === "active") resident.actor.send({ type: "system.leaving" });
  };
  const spend = (): void => {
    isSpent = true;
    for (const resident of running) leave(resident);
  };
  const timer = ms === undefined || !Number.isFinite(ms) ? undefined : clock.setTimeout(spend, ms);
  return {
    get isSpent() {
      return isSpent;
    },
    watch: (resident: Resident) => void running.add(resident),
    end: () => timer !== undefined && clock.clearTimeout(timer),
  };
};

type Budget = ReturnType<typeof budgetOf>;

interface Ran extends Slice {
  readonly threadId: ThreadId;
  readonly work?: Promise<boolean>;
}

const skipped = (threadId: ThreadId, error?: Error): Ran => ({
  threadId,
  outcome: "skipped",
  state: null,
  more: true,
  reached: [],
  calls: [],
  ...(error && { error }),
});

/** One thread under its lease; never rejects: what goes wrong is an outcome. */
const step = async (threadId: ThreadId, parts: SlicesParts, budget: Budget): Promise<Ran> => {
  if (budget.isSpent) return skipped(threadId);
  let lostTo: string | undefined;
  let lease: HeldLease | undefined;
  try {
    lease = await holdLease({
      ...parts,
      store: parts.leases,
      name: threadLease(threadId),
      // Two slices of one system are two holders.
      holder: `${parts.holder} (slice ${parts.env.freshId()})`,
      onLost(by) {
        lostTo = by;
        parts.running.get(threadId)?.stop();
      },
    });
    const slice = await runSlice(threadId, parts, { isLeft: lease.isAbandoned, watch: budget.watch });
    if (lostTo !== undefined) return skipped(threadId);
    const work = await outlivingWork(threadId, slice.calls, parts);
    return { threadId, ...slice, ...(work && { work: work.done }) };
  } catch (error) {
    if (error instanceof LeaseHeldError) return skipped(threadId, error);
    const cause = error instanceof Error ? error : new Error(String(error));
    return { ...skipped(threadId, cause), outcome: "failed" };
  } finally {
    await lease?.release();
  }
};

const toldOf = ({ threadId, outcome, state, more, error }: Ran, refusal: Error | undefined): SteppedThread => {
  const why = refusal ?? error;
  return { threadId, outcome: refusal ? "failed" : outcome, state, more, ...(why && { error: why }) };
};

const timersOf = async (ran: readonly Ran[], { env: { store } }: SliceParts): Promise<Stepped["timers"]> => {
  const soonest = await each(
    ran.filter(({ state }) => state !== null && state !== "closed"),
    async ({ threadId }) => {
      const [first] = await store.timers({
        after: Number.NEGATIVE_INFINITY,
        until: Number.POSITIVE_INFINITY,
        threadId,
      });
      return first ? [{ threadId, at: first.due }] : [];
    },
  );
  return soonest.flat();
};

/**
 * Accepts a batch and runs one slice of each thread in it. Rejects before anything is run: with LeaseHeldError when a resident
 * system runs the threads of the store, which then runs what was accepted here; with OptionError, InputRefusedError,
 * ThreadIdError, StoreError.
 */
export const runSlices = async (
  given: readonly unknown[],
  { waitUntil, budget: ms }: SliceOptions,
  parts: SlicesParts,
): Promise<Stepped> => {
  const budget = budgetOf(ms, parts);
  try {
    const { threads, refused } = await acceptBatch(given, parts.limits, parts.send);
    const resident = await parts.leases.holder(runnerLease, parts.clock.now());
    if (resident) throw new LeaseHeldError(resident.by, resident.until);
    const ran = await each(threads, (threadId) => step(threadId, parts, budget));
    const wake = new Set<ThreadId>(
      ran.flatMap(({ threadId, more, outcome, reached }) => [
        ...(more && outcome !== "failed" ? [threadId] : []),
        ...reached,
      ]),
    );
    const works = ran.flatMap(({ threadId, work }) =>
      work ? [work.then((isHeard) => ({ wake: isHeard ? [threadId] : [] }))] : [],
    );
    if (waitUntil) for (const work of works) waitUntil(work);
    else for (const done of await Promise.all(works)) for (const threadId of done.wake) wake.add(threadId);
    return {
      threads: ran.map((one) => toldOf(one, refused.get(one.threadId))),
      wake: [...wake],
      timers: await timersOf(ran, parts),
    };
  } finally {
    budget.end();
  }
};
