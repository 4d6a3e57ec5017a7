import type { PlacedEntry } from "../../../machines/history/entry.ts";
import { type CallId, callIdOf, type ThreadId } from "../../../machines/history/ids.ts";
import {
  type Call,
  newRecord,
  type Subscription,
  type ThreadCommit,
  type ThreadRecord,
} from "../../../machines/thread/commit.ts";
import type { NewThread } from "../../../machines/thread/family.ts";
import { dedupKeyOf, type Envelope, type Input } from "../../../machines/thread/input.ts";
import type { Acceptance, Delivery, LoadedThread, Store } from "../../store/store.ts";

/** Threads, inputs and commits for the requirements: whole and plausible, each with as little as can be. */

export const alpha = "suite/alpha" as ThreadId;
export const beta = "suite/beta" as ThreadId;
export const spec = {
  tools: ["look"],
  instructions: "Be brief.",
  metadata: { tenant: "acme", nested: { list: [1, null, "é"] } },
};

/** Beyond what any requirement puts into an inbox. */
export const roomy = { inboxLimit: 1_000 };

export const say = (text: string, sender = "user"): Input => ({ kind: "text", text, sender, whileBusy: "wait" });

/** A delivery with one fact. `at` defaults to 1,000. */
export const deliver = (threadId: ThreadId, dedupId: string, input: Input = say(dedupId), at = 1_000): Delivery => ({
  threadId,
  dedupId,
  key: dedupKeyOf({ threadId, dedupId, input }),
  input,
  at,
  facts: [{ type: "input.accepted", dedupId, input }],
});

export const user = (position: number, text = `text ${position}`): PlacedEntry => ({
  position,
  entry: { kind: "user", at: 1_000, text },
});

/** A turn with one call for each of `callIds`: it reserves as many positions behind it. */
export const turn = (position: number, callIds: readonly CallId[]): PlacedEntry => ({
  position,
  entry: {
    kind: "turn",
    at: 1_000,
    parts: [
      { type: "text", text: "Looking.", providerMetadata: { provider: { signature: "opaque" } } },
      ...callIds.map((callId) => ({
        type: "call" as const,
        callId,
        providerCallId: "",
        name: "look",
        args: { deep: [1] },
      })),
    ],
  },
});

export const result = (position: number, callId: CallId): PlacedEntry => ({
  position,
  entry: { kind: "result", at: 1_000, callId, name: "look", origin: "tool", content: [{ type: "text", text: "seen" }] },
});

export const callOf = (threadId: ThreadId, number: number, more: Partial<Call> = {}): Call => ({
  callId: callIdOf(threadId, 1, number),
  providerCallId: `p${number}`,
  name: "look",
  args: { number },
  position: number + 1,
  form: "run",
  passive: false,
  onRestart: "fail",
  status: "committed",
  ...more,
});

export const subscriptionOf = (threadId: ThreadId, number: number): Subscription => ({
  callId: callIdOf(threadId, 2, number),
  providerCallId: "",
  name: "watch",
  args: {},
  form: "subscribe",
});

/** What a commit sends to a thread. */
export const envelopeOf = (threadId: ThreadId, dedupId: string, input: Input = say(dedupId)): Envelope => ({
  threadId,
  dedupId,
  input,
});

/** A child that begins at position 4 of its parent. `above`: the threads above it, root first, its parent last. */
export const childOf = (
  above: readonly [...ThreadId[], ThreadId],
  threadId: ThreadId,
  more: Partial<NewThread> = {},
): NewThread => {
  const parent = above.at(-1) as ThreadId;
  const source = { callId: callIdOf(parent, 1, 0), providerCallId: "p0", name: "spawn_thread", args: { deep: [1] } };
  return {
    threadId,
    opening: { kind: "spawned", parent, stack: above, position: 4, source },
    record: recordOf(),
    entries: [],
    facts: [],
    ...more,
  };
};

/** The part of a commit that opens children, and nothing else of the family. */
export const toOpen = (...opened: readonly NewThread[]): Pick<ThreadCommit, "children"> => ({
  children: { opened, moved: [], ended: [] },
});

export const recordOf = (more: Partial<ThreadRecord> = {}): ThreadRecord => ({ ...newRecord, ...more });

/** A commit that changes nothing but the version, and what `more` says. */
export const commitOf = (
  threadId: ThreadId,
  expectedVersion: number,
  more: Partial<ThreadCommit> = {},
): ThreadCommit => ({
  threadId,
  expectedVersion,
  entries: [],
  consumed: [],
  interrupting: [],
  calls: { made: [], settled: [] },
  subscriptions: { opened: [], moved: [], ended: [] },
  timers: [],
  children: { opened: [], moved: [], ended: [] },
  sent: [],
  record: null,
  facts: [],
  ...more,
});

/** The `seq` of each acceptance that is one; -1 for the others. */
export const seqsOf = (acceptances: readonly Acceptance[]): number[] =>
  acceptances.map((acceptance) => (acceptance.status === "accepted" ? acceptance.waiting.seq : -1));

export const statusesOf = (acceptances: readonly Acceptance[]): string[] =>
  acceptances.map((acceptance) => (acceptance.status === "refused" ? acceptance.reason : acceptance.status));

/** Dedup ids in the inbox, in order. */
export const waitingIn = async (store: Store, threadId: ThreadId): Promise<string[]> =>
  (await store.load(threadId))?.inbox.map(({ dedupId }) => dedupId) ?? [];

/** Everything a store tells about these threads, to compare before and after. */
/** What a thread is: how far acceptance has come can change with others. */
export const threadIn = async (store: Store, threadId: ThreadId): Promise<LoadedThread | undefined> => {
  const loaded = await store.load(threadId);
  if (!loaded) return undefined;
  const { acceptedUpTo: _, ...thread } = loaded;
  return thread;
};

export const everythingOf = async (store: Store, threadIds: readonly ThreadId[] = [alpha, beta]) => ({
  threads: await Promise.all(threadIds.map((threadId) => threadIn(store, threadId))),
  histories: await Promise.all(threadIds.map((threadId) => store.history(threadId))),
  feed: await store.feed({ after: 0, limit: 10_000 }),
  timers: await store.timers({ after: Number.NEGATIVE_INFINITY, until: Number.MAX_SAFE_INTEGER }),
  list: await store.threads(),
});
