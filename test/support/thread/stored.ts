import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { Choice } from "../../../machines/thread/choice.ts";
import { type Call, newRecord, type Subscription, type ThreadCommit } from "../../../machines/thread/commit.ts";
import type { Child, NewThread } from "../../../machines/thread/family.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";

/** What a store would hold after the commits so far; the plainest model of one that can be held in mind. */
export interface Stored {
  version: number;
  record: typeof newRecord;
  calls: Call[];
  subscriptions: Subscription[];
  history: PlacedEntry[];
  inbox: WaitingInput[];
  children: Child[];
  choices?: Choice[];
}

export const nothingStored = (): Stored => ({
  version: 0,
  record: newRecord,
  calls: [],
  subscriptions: [],
  history: [],
  inbox: [],
  children: [],
});

/** A thread that a commit of its parent made. */
export const bornWith = ({ record, entries }: NewThread): Stored => ({
  ...nothingStored(),
  record,
  history: [...entries],
});

/** Makes the commit part of what is stored. Throws when it is stale. */
export const applyCommit = (stored: Stored, commit: ThreadCommit): void => {
  if (commit.expectedVersion !== stored.version)
    throw new Error(`stale commit: expected ${commit.expectedVersion}, stored ${stored.version}`);
  stored.version += 1;
  stored.history = [...stored.history, ...commit.entries].sort((a, b) => a.position - b.position);
  stored.inbox = stored.inbox
    .filter(({ seq }) => !commit.consumed.includes(seq))
    .map((waiting) => (commit.interrupting.includes(waiting.seq) ? { ...waiting, interrupts: true } : waiting));
  stored.calls = [
    ...stored.calls.filter(({ callId }) => !commit.calls.settled.includes(callId)),
    ...commit.calls.made,
  ].map((call) => (commit.calls.approved?.includes(call.callId) ? { ...call, status: "committed" } : call));
  const { opened: asked, moved: answered } = commit.choices ?? { opened: [], moved: [] };
  stored.choices = [...(stored.choices ?? []), ...asked]
    .map((choice) => answered.find(({ choiceId }) => choiceId === choice.choiceId) ?? choice)
    .filter(({ callId }) => !commit.calls.settled.includes(callId));
  const { opened, moved, ended } = commit.subscriptions;
  stored.subscriptions = [...stored.subscriptions, ...opened]
    .map((subscription) => moved.find(({ callId }) => callId === subscription.callId) ?? subscription)
    .filter(({ callId }) => !ended.includes(callId));
  const { opened: born, moved: changed, ended: gone } = commit.children;
  stored.children = [
    ...stored.children,
    ...born.map(({ threadId, opening: { kind, source } }) => ({ threadId, kind, source, rested: false })),
  ]
    .map((child) => changed.find((other) => other.threadId === child.threadId) ?? child)
    .filter((child) => !gone.includes(child.threadId));
  if (commit.record) stored.record = commit.record;
};
