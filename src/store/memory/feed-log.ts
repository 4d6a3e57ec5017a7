import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Fact, FeedItem } from "../../../machines/thread/facts.ts";

/** Facts that became durable together: those of one delivery or of one commit. The first is at position `first`. */
export interface Passage {
  readonly first: number;
  readonly threadId: ThreadId;
  readonly at: number;
  readonly facts: readonly Fact[];
}

/** The first passage that can hold a position behind `after`. */
const startOf = (passages: readonly Passage[], after: number): number => {
  let low = 0;
  let high = passages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((passages[middle]?.first ?? 0) <= after + 1) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
};

/** Facts behind position `after`, ascending, at most `limit`. */
export const readFacts = (passages: readonly Passage[], after: number, limit: number): FeedItem[] => {
  const items: FeedItem[] = [];
  for (let index = startOf(passages, after); index < passages.length; index++) {
    const { first, threadId, at, facts } = passages[index] as Passage;
    for (let place = Math.max(0, after + 1 - first); place < facts.length; place++) {
      if (items.length >= limit) return items;
      items.push({ ...(facts[place] as Fact), threadId, feed: first + place, at });
    }
  }
  return items;
};

/**
 * The feed of a store: every fact at a position of its own, from 1 (S6). Facts are kept as they were given, by reference,
 * and all of them for as long as the store lives.
 */
export interface FeedLog {
  readonly passages: readonly Passage[];
  /** Adds the facts here and to the thread's own passages. The position of the first, or of the next fact when there are none. */
  append(
    thread: { readonly threadId: ThreadId; readonly passages: Passage[] },
    at: number,
    facts: readonly Fact[],
  ): number;
}

export const feedLog = (): FeedLog => {
  const passages: Passage[] = [];
  let next = 1;
  return {
    passages,
    append(thread, at, facts) {
      const first = next;
      if (facts.length === 0) return first;
      const passage: Passage = { first, threadId: thread.threadId, at, facts };
      passages.push(passage);
      thread.passages.push(passage);
      next += facts.length;
      return first;
    },
  };
};
