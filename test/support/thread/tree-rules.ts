import { faultsOf } from "../../../machines/history/faults.ts";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { isActive } from "../../../machines/thread/commit.ts";
import { type Grove, treeLimits } from "./grove.ts";

/** What holds of a tree at every moment. Looks only at threads that something happened to. */

const faultsOfThread = (tree: Grove, threadId: ThreadId): string[] => {
  const { stored, commits } = tree.fold(threadId);
  const outstanding = stored.calls.map(({ callId }) => callId);
  const faults = faultsOf(tree.viewOf(threadId), outstanding).map((fault) => `R5: ${threadId}: ${fault}`);
  for (const { calls, entries } of commits.slice(-1)) {
    const made = calls.made.map(({ callId }) => callId);
    const waits = stored.calls.filter((call) => isActive(call) && !made.includes(call.callId));
    if (waits.length > 0 && entries.some(({ entry }) => entry.kind === "event" || entry.kind === "user"))
      faults.push(`R4: ${threadId} reads something while ${waits.map(({ callId }) => callId)} is outstanding`);
  }
  return tree.isClosed(threadId) ? [...faults, ...faultsOfClosed(tree, threadId)] : faults;
};

/** Looks at a thread that asks its model; `answered`: calls whose results go with the request. */
export const faultsOfRequest = (tree: Grove, threadId: ThreadId, answered: readonly string[] = []): string[] => {
  const { calls, record } = tree.fold(threadId).stored;
  return [
    ...calls
      .filter(({ callId }) => !answered.includes(callId))
      .map(({ callId }) => `R4: ${threadId} asks its model while ${callId} is outstanding`),
    ...(record.closing ? [`${threadId} asks its model, though it closes`] : []),
  ];
};

/** It does nothing any more, and neither does anything below it. What came too late is discarded. */
const faultsOfClosed = (tree: Grove, threadId: ThreadId): string[] => {
  const { commits } = tree.fold(threadId);
  const faults: string[] = [];
  const last = commits.findIndex(({ record }) => record?.state === "closed");
  for (const { record, entries, sent, calls, children } of commits.slice(last + 1))
    if (record || entries.length + sent.length + calls.made.length + children.opened.length > 0)
      faults.push(`${threadId} is closed, and runs`);
  for (const child of tree.childrenOf(threadId))
    if (!tree.isClosed(child)) faults.push(`${threadId} is closed, and its child ${child} is not`);
  return faults;
};

/** Limits, counted by what the children are, not by what their parent knows of them. */
const faultsOfLimits = (tree: Grove, threadId: ThreadId): string[] => {
  const faults: string[] = [];
  const open = tree.childrenOf(threadId).filter((child) => !tree.isClosed(child));
  const spawned = open.filter((child) => tree.fold(child).opening?.kind === "spawned");
  if (spawned.length > treeLimits.children) faults.push(`${threadId} has ${spawned.length} open children`);
  if (spawned.length > 0 && tree.stackOf(threadId).length > treeLimits.depth)
    faults.push(`${threadId} is too deep for children`);
  const atWork = new Map<string, number>();
  for (const child of open) {
    const { opening, commits } = tree.fold(child);
    const rested = commits.some(({ record }) => record && !["running", "awaitingActiveCall"].includes(record.state));
    if (opening?.kind !== "event" || rested) continue;
    const { callId } = opening.source;
    atWork.set(callId, (atWork.get(callId) ?? 0) + 1);
  }
  for (const [callId, count] of atWork)
    if (count > treeLimits.eventChildrenAtOnce) faults.push(`${count} children handle events of ${callId} at once`);
  const { subscriptions } = tree.fold(threadId).stored;
  if (subscriptions.length > treeLimits.subscriptions) faults.push(`${threadId} has too many subscriptions`);
  return faults;
};

/** `touched`: threads that something happened to. */
export const faultsNow = (tree: Grove, touched: Iterable<ThreadId>): string[] => {
  const threads = [...touched];
  const parents = threads.flatMap((threadId) => tree.fold(threadId).opening?.parent ?? []);
  return [
    ...threads.flatMap((threadId) => faultsOfThread(tree, threadId)),
    ...[...new Set([...threads, ...parents])].flatMap((threadId) => faultsOfLimits(tree, threadId)),
  ];
};
