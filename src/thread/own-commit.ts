import { isDeepStrictEqual } from "node:util";
import type { ThreadCommit } from "../../machines/thread/commit.ts";
import type { FeedItem } from "../../machines/thread/facts.ts";
import type { CommitOutcome, Store } from "../store/store.ts";

/** Facts that are read at once. */
const page = 500;

const isTold = (item: FeedItem | undefined, fact: ThreadCommit["facts"][number], at: number): boolean => {
  if (item?.at !== at || item.type !== fact.type) return false;
  const { threadId: _, feed: __, at: ___, ...told } = item;
  return isDeepStrictEqual(told, { ...fact });
};

/** Where the facts of the commit begin; undefined when they are not all there. */
const placeIn = (items: readonly FeedItem[], { facts }: ThreadCommit, at: number): number | undefined =>
  items.find((_, index) => facts.every((fact, offset) => isTold(items[index + offset], fact, at)))?.feed;

/**
 * A store can make a commit and fail all the same before it says so. Tried again, the commit is stale, for a version that it
 * made itself. Resolves to what the store would have said, but for what became of the outbox; undefined when another wrote,
 * or when the commit told of nothing that it could be known by. `after`: a feed position before the commit.
 */
export const ownCommit = async (
  store: Pick<Store, "feed" | "load">,
  commit: ThreadCommit,
  { at, after, version }: { readonly at: number; readonly after: number; readonly version: number },
): Promise<Extract<CommitOutcome, { status: "committed" }> | undefined> => {
  const { threadId, facts, expectedVersion } = commit;
  if (version !== expectedVersion + 1) return undefined;
  if (facts.length === 0) {
    // A commit that tells of nothing is known by its record.
    const kept = await store.load(threadId);
    const isOurs = kept?.version === version && commit.record !== null && isDeepStrictEqual(kept.record, commit.record);
    return isOurs ? { status: "committed", version, feed: 0, sent: [] } : undefined;
  }
  for (let items: readonly FeedItem[] = [], cursor = after; ; ) {
    const found = await store.feed({ threadId, after: cursor, limit: page });
    // Facts of one commit can lie on two pages.
    items = [...items.slice(1 - facts.length), ...found];
    const feed = placeIn(items, commit, at);
    if (feed !== undefined) return { status: "committed", version, feed, sent: [] };
    const last = found.at(-1);
    if (!last) return undefined;
    cursor = last.feed;
  }
};
