import type { ThreadId } from "../../machines/history/ids.ts";
import type { FeedItem } from "../../machines/thread/facts.ts";
import type { Clock } from "../clock.ts";
import type { Store } from "../store/store.ts";

/** What a reader of the feed wants. */
export interface FeedQuery {
  /** The last position that was read; default 0, which is before all. */
  readonly after?: number;
  readonly where?: {
    readonly threadId?: string;
    /** Only facts of these types. */
    readonly types?: readonly FeedItem["type"][];
  };
}

export interface FeedDependencies {
  readonly store: Store;
  readonly clock: Clock;
  /** Aborts when the system stops: readers get what is durable by then, and end. */
  readonly signal: AbortSignal;
  /** ms between looks at what other processes wrote. */
  readonly pollInterval: number;
  /** Calls back once something of this process became durable, or never; returns how to stop waiting. */
  readonly onNews: (listener: () => void) => () => void;
}

/** Facts read from the store at once. */
const page = 200;

/**
 * Every committed fact, in commit order, from behind `after`; then those to come. A reader that stores the `feed` position
 * of what it has handled, and begins there again, misses nothing and meets some facts twice at most. Ends when the loop
 * is left or the system stops.
 */
export const readFeed = (
  deps: FeedDependencies,
  { after = 0, where = {} }: FeedQuery = {},
): AsyncIterable<FeedItem> => ({
  async *[Symbol.asyncIterator]() {
    const { store, signal } = deps;
    const { threadId, types } = where;
    let cursor = after;
    for (;;) {
      const news = untilNews(deps);
      let facts: readonly FeedItem[];
      try {
        const narrow = threadId === undefined ? {} : { threadId: threadId as ThreadId };
        facts = await store.feed({ after: cursor, limit: page, ...narrow });
        if (facts.length === 0 && !signal.aborted) await news.come;
      } finally {
        news.forget();
      }
      for (const fact of facts) {
        cursor = fact.feed;
        if (!types || types.includes(fact.type)) yield fact;
      }
      if (facts.length === 0 && signal.aborted) return;
    }
  },
});

/** Listens from before the store is read, so that nothing falls between reading and waiting. */
const untilNews = ({ clock, signal, pollInterval, onNews }: FeedDependencies) => {
  const { promise: come, resolve } = Promise.withResolvers<void>();
  const deaf = onNews(resolve);
  const id = clock.setTimeout(resolve, pollInterval);
  const stopped = () => resolve();
  signal.addEventListener("abort", stopped, { once: true });
  return {
    come,
    forget() {
      deaf();
      clock.clearTimeout(id);
      signal.removeEventListener("abort", stopped);
    },
  };
};
