import type { CallId, ThreadId } from "../../machines/history/ids.ts";

/** What leases are for (R8). */

/** Held by the one system that runs all threads of a store. */
export const runnerLease = "runner";

const threads = "thread/";

/** Held by who runs one thread for one slice. */
export const threadLease = (threadId: ThreadId): string => `${threads}${threadId}`;

/** Held by who works for a call while its thread is in nobody's memory. */
export const callLease = (callId: CallId): string => `call/${callId}`;

/** The names of `threadLease` lie between these two, and no others do. */
export const threadLeases = { from: threads, to: "thread0" } as const;

export const isThreadLease = (name: string): boolean => name.startsWith(threads);

/** Whether losing the lease `name` means that what is in memory of a thread is out of date. */
export const guards = (name: string, threadId: ThreadId): boolean =>
  name === threadLease(threadId) || !(isThreadLease(name) || name.startsWith("call/"));
