import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import { newRecord, type ThreadCommit } from "../../../machines/thread/commit.ts";
import type { NewThread } from "../../../machines/thread/family.ts";

/** A thread as a commit creates it, heard under `call` by its parent. */
export const opened = (
  id: string,
  { parent = "t1", call = "t1#1.0", entries = [] }: { parent?: string; call?: string; entries?: PlacedEntry[] } = {},
): NewThread => ({
  threadId: id as ThreadId,
  opening: {
    kind: "spawned",
    parent: parent as ThreadId,
    stack: [parent as ThreadId],
    position: 0,
    source: { callId: call as CallId, providerCallId: "k1", name: "spawn_thread", args: {} },
  },
  record: newRecord,
  entries,
  facts: [],
});

/** The commit of a thread that has done nothing but open children. */
export const opening = (threadId: string, children: readonly NewThread[], expectedVersion = 0): ThreadCommit => ({
  threadId: threadId as ThreadId,
  expectedVersion,
  entries: [],
  consumed: [],
  interrupting: [],
  calls: { made: [], settled: [] },
  subscriptions: { opened: [], moved: [], ended: [] },
  timers: [],
  children: { opened: children, moved: [], ended: [] },
  sent: [],
  record: newRecord,
  facts: [],
});
