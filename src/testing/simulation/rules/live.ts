import type { PlacedEntry } from "../../../../machines/history/entry.ts";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { ThreadCommit } from "../../../../machines/thread/commit.ts";
import type { Life } from "../life.ts";
import type { Page } from "../record.ts";
import type { World } from "../world.ts";
import { interrupts } from "./words.ts";

/** R2, R4, R8: looks at each commit with what stood before it. */
export const faultsOfCommit = (world: World, commit: ThreadCommit, before: Page, life: number): string[] => {
  const { threadId, entries, calls, consumed } = commit;
  const faults: string[] = [];
  const settled = new Set(calls.settled);
  const left = [...before.calls.values()].filter(({ callId, passive }) => !passive && !settled.has(callId));
  const waiting = [...before.inbox.values()];
  if (before.state === "closed" && commit.record) faults.push(`R8: ${threadId} has closed and goes on`);
  if (world.processes.leased && world.processes.leased.index !== life)
    faults.push(
      `R8: process ${life} commits to ${threadId}, and process ${world.processes.leased.index} has the lease`,
    );
  for (const { entry } of entries) {
    const reads = entry.kind === "user" || entry.kind === "event" || entry.kind === "turn";
    if (reads && left.length > 0)
      faults.push(
        `R4: ${entry.kind} enters the history of ${threadId} while ${left.map(({ callId }) => callId).join(", ")} is outstanding`,
      );
    if (entry.kind !== "result" || entry.origin !== "interrupted") continue;
    const call = before.calls.get(entry.callId);
    // A system that stops gives up its inline calls.
    const stops = call?.form === "inline" && world.processes.lives[life]?.stopping;
    if (call && !call.passive && !waiting.some(interrupts) && !before.closing && !stops)
      faults.push(`R4: ${entry.callId} is interrupted, and nobody interrupted`);
  }
  for (const { input, dedupId } of consumed.flatMap((seq) => before.inbox.get(seq) ?? [])) {
    const call = input.kind === "result" && before.calls.get(input.callId);
    if (!call || call.form === "inline" || settled.has(call.callId)) continue;
    const reason = commit.facts.find(
      (fact) =>
        fact.type === "input.discarded" &&
        fact.kind === "result" &&
        fact.callId === call.callId &&
        fact.dedupId === dedupId,
    );
    if (
      reason?.type === "input.discarded" &&
      reason.reason === "call-not-outstanding" &&
      !before.proposed.has(call.callId)
    )
      faults.push(`R1: a result of ${call.callId} is discarded, and the call is outstanding`);
  }
  for (const seq of consumed)
    if (!before.inbox.has(seq)) faults.push(`R2: input ${seq} of ${threadId} is consumed and does not wait`);
  return faults;
};

/** R4, R8: looks at the moment a request goes out. */
export const faultsOfRequest = (
  world: World,
  threadId: ThreadId,
  uncommitted: readonly PlacedEntry[],
  life: Life,
): string[] => {
  // What it asks is asked in vain: its commit is refused.
  if (world.processes.isUnaware(life)) return [];
  const faults: string[] = [];
  const page = world.record.page(threadId);
  const answered = new Set(uncommitted.flatMap(({ entry }) => (entry.kind === "result" ? [entry.callId] : [])));
  for (const callId of page.calls.keys())
    if (!answered.has(callId)) faults.push(`R4: ${threadId}'s model is asked while ${callId} is outstanding`);
  if (page.quarantined) faults.push(`R8: ${threadId} was set aside and asks its model`);
  if (page.state === "closed") faults.push(`R8: ${threadId} has closed and asks its model`);
  if (world.openRequests.some((open) => open.threadId === threadId && open.life === life))
    faults.push(`R8: ${threadId} asks its model twice at once`);
  return faults;
};
