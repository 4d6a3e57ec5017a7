import type { ThreadId } from "../../machines/history/ids.ts";
import type { FeedItem } from "../../machines/thread/facts.ts";
import type { Clock } from "../clock.ts";
import { FeedCursorError, OptionError, StoreCorruptError } from "../errors.ts";
import type { Store } from "../store/store.ts";

/** Facts of the types that a reader asked for. */
export type FeedItems<Type extends FeedItem["type"]> = AsyncIterable<Extract<FeedItem, { readonly type: Type }>>;

/** What a reader of the feed wants; `Type`: the types of facts. */
export interface FeedQuery<Type extends FeedItem["type"] = FeedItem["type"]> {
  /** The last position that was read; default 0, which is before all. */
  readonly after?: number;
  readonly where?: {
    readonly threadId?: string;
    /** Only facts of these types. */
    readonly types?: readonly Type[];
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
 * is left or the system stops. Throws OptionError at once for an `after` that is no position, and FeedCursorError from the
 * loop when the store does not have that position.
 */
export const readFeed = <Type extends FeedItem["type"] = FeedItem["type"]>(
  deps: FeedDependencies,
  { after = 0, where = {} }: FeedQuery<Type> = {},
): FeedItems<Type> => {
  if (!Number.isSafeInteger(after) || after < 0)
    throw new OptionError(
      "after",
      `is ${shown(after)}; give the \`feed\` of the last fact that was read, or 0 for all`,
    );
  // `where.types` lets through those types alone.
  return factsBehind(deps, after, where) as FeedItems<Type>;
};

/** Texts in quotes: a cursor that was read from a file and not made a number looks like one otherwise. */
const shown = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value));

const factsBehind = (
  deps: FeedDependencies,
  after: number,
  where: NonNullable<FeedQuery["where"]>,
): AsyncIterable<FeedItem> => ({
  async *[Symbol.asyncIterator]() {
    const { store, signal } = deps;
    const { threadId, types } = where;
    let cursor = after;
    if (after > 0 && !(await hasPosition(store, after))) throw new FeedCursorError(after);
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

/** Positions have no gaps, so the first fact that is not before it tells. A fact that cannot be read is there all the same. */
const hasPosition = async (store: Store, position: number): Promise<boolean> => {
  try {
    return (await store.feed({ after: position - 1, limit: 1 })).length > 0;
  } catch (error) {
    if (error instanceof StoreCorruptError) return true;
    throw error;
  }
};

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
