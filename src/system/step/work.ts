import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Call } from "../../../machines/thread/commit.ts";
import type { Clock } from "../../clock.ts";
import { LeaseHeldError } from "../../errors.ts";
import type { Logger } from "../../logger.ts";
import { callLease } from "../../store/lease-names.ts";
import type { CallRegistry } from "../../tool/registry.ts";
import { holdLease } from "../lease.ts";
import type { Leases } from "./leases.ts";

export interface WorkParts {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: CallRegistry;
  readonly holder: string;
  /** ms. */
  readonly ttl: number;
}

/**
 * Calls whose tools are at work in some process: their thread left memory with its slice, and the lease of the call says that
 * the work goes on. Without it, the next slice would take the call for one that a dead process left behind.
 */
export const atWork = async (
  calls: readonly Call[],
  { leases, clock, registry }: Pick<WorkParts, "leases" | "clock" | "registry">,
): Promise<ReadonlySet<CallId>> => {
  const there = new Set<CallId>();
  for (const { callId, status, form } of calls) {
    if (status !== "started" || form === "builtin") continue;
    if (registry.has(callId) || (await leases.holder(callLease(callId), clock.now()))) there.add(callId);
  }
  return there;
};

/** Work that an earlier slice of this process has handed on, and that is waited for already. */
const handedOn = new WeakSet<Promise<boolean>>();

/**
 * What this process still does for the calls of a thread whose slice is over, and nobody waits for yet; undefined when nothing. Resolves with the leases
 * of the calls taken. The work itself resolves to whether the thread has something new to hear.
 */
export const outlivingWork = async (
  threadId: ThreadId,
  calls: readonly Call[],
  { registry, leases, ...parts }: WorkParts,
): Promise<{ readonly done: Promise<boolean> } | undefined> => {
  const open = calls.flatMap(({ callId }) => {
    const work = registry.work(callId);
    if (work === undefined || handedOn.has(work)) return [];
    handedOn.add(work);
    return [{ callId, work }];
  });
  if (open.length === 0) return undefined;
  const follow = async (callId: CallId, work: Promise<boolean>, given: () => Promise<void>): Promise<boolean> => {
    const isHeard = await work;
    // Somebody else ends the call: nothing of it stays here.
    if (!isHeard) registry.forget(callId);
    await given();
    return isHeard;
  };
  const followed: Promise<boolean>[] = [];
  for (const { callId, work } of open) {
    const lease = await holdLease({
      ...parts,
      store: leases,
      name: callLease(callId),
      onLost: () => registry.abort(callId, "another process works for it"),
    }).catch((error) => {
      if (!(error instanceof LeaseHeldError))
        parts.logger.warn({ threadId, callId, error: String(error) }, "nobody else can see that a call is at work");
      return undefined;
    });
    followed.push(follow(callId, work, async () => lease?.release()));
  }
  return { done: Promise.all(followed).then((heard) => heard.some((isHeard) => isHeard)) };
};
