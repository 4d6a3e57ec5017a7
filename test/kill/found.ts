import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import type { FeedItem } from "../../machines/thread/facts.ts";
import { silentLogger } from "../../src/logger.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { LoadedThread } from "../../src/store/store.ts";

/** What a process left in the file, read by one that does nothing else. */
export interface Found {
  /** Undefined: nobody made the thread. */
  readonly thread: LoadedThread | undefined;
  readonly history: readonly PlacedEntry[];
  /** Of all threads, from the first fact. */
  readonly feed: readonly FeedItem[];
}

export const findIn = async (file: string, threadId: string): Promise<Found> => {
  const store = sqliteStore(file, { synchronous: "normal", logger: silentLogger });
  try {
    return {
      thread: await store.load(threadId as ThreadId),
      history: await store.history(threadId as ThreadId),
      feed: await store.feed({ after: 0, limit: Number.MAX_SAFE_INTEGER }),
    };
  } finally {
    await store.close();
  }
};

export const textsIn = ({ history }: Found): string[] =>
  history.flatMap(({ entry }) => (entry.kind === "user" ? [entry.text] : []));

export const eventsIn = ({ history }: Found): string[] =>
  history.flatMap(({ entry }) => (entry.kind === "event" ? [entry.text] : []));

export const resultsIn = ({ history }: Found) =>
  history.flatMap(({ entry }) => (entry.kind === "result" ? [entry] : []));

export const factsIn = <Type extends FeedItem["type"]>({ feed }: Found, type: Type) =>
  feed.filter((fact): fact is Extract<FeedItem, { type: Type }> => fact.type === type);

/** Ids of texts, results and events that are durable. */
export const acceptedIn = (found: Found): string[] => factsIn(found, "input.accepted").map(({ dedupId }) => dedupId);

export const callIdsOf = ({ thread }: Found): CallId[] => thread?.calls.map(({ callId }) => callId) ?? [];
