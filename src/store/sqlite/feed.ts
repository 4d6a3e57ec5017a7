import { z } from "zod";
import type { Entry } from "../../../machines/history/entry.ts";
import type { FeedItem } from "../../../machines/thread/facts.ts";
import { StoreCorruptError } from "../../errors.ts";
import type { Store } from "../store.ts";
import type { Database } from "./database.ts";
import { readRow, StoredEntry, StoredInput, type Where } from "./rows.ts";
import { type StoredFact, wholeFact } from "./shared-facts.ts";

interface Passage {
  readonly first: number;
  readonly facts: number;
  readonly at: number;
  readonly thread: number;
  readonly threadId: string;
  readonly body: string;
}

/** The feed: facts that became durable together are one row, which takes as many positions as it has facts (S6). */
export interface Feed {
  /** Inside a `write`. The position of the first fact, or of the next one when there are none. */
  append(thread: number, at: number, facts: readonly StoredFact[]): number;
  /**
   * Inside a `read`. Ends before a fact that cannot be read; when that is the first, throws StoreCorruptError, which says
   * how to go on behind it.
   */
  read(query: Parameters<Store["feed"]>[0]): FeedItem[];
}

const StoredFacts = z.array(
  z.union([z.looseObject({ type: z.string() }), z.tuple([z.number(), z.looseObject({ type: z.string() })])]),
);

export const feedOn = (database: Database): Feed => {
  const last = database.prepare<{ next: number }>(
    "SELECT first + facts AS next FROM feed WHERE first = (SELECT max(first) FROM feed)",
  );
  const insert = database.prepare("INSERT INTO feed (first, facts, thread, at, body) VALUES (?, ?, ?, ?, ?)");
  // A position lies in the passage that begins last of those that begin at or before it.
  const passages = database.prepare<Passage>(`
    SELECT first, facts, at, thread, thread.name AS threadId, body FROM feed JOIN thread ON thread.id = feed.thread
    WHERE first >= (SELECT coalesce(max(first), 0) FROM feed WHERE first <= ?1) ORDER BY first`);
  const passagesOf = database.prepare<Passage>(`
    SELECT first, facts, at, thread, ?2 AS threadId, body FROM feed
    WHERE thread = (SELECT id FROM thread WHERE name = ?2)
      AND first >= (SELECT coalesce(max(first), 0) FROM feed WHERE first <= ?1) ORDER BY first`);
  // What a fact told is the row as it was then, also when a repair has set it aside since.
  const entry = database.prepare<{ body: string }>(`
    SELECT coalesce(
      (SELECT body FROM set_aside WHERE thread = ?1 AND position = ?2 ORDER BY number LIMIT 1),
      (SELECT body FROM entry WHERE thread = ?1 AND position = ?2)) AS body`);
  const input = database.prepare<{ body: string }>("SELECT body FROM input WHERE seq = ?");

  const sourcesOf = ({ thread, threadId }: Passage) => {
    const entries = new Map<number, Entry | undefined>();
    return {
      entryAt(position: number) {
        if (entries.has(position)) return entries.get(position);
        const row = entry.get(thread, position);
        const place = { what: `entry ${position}`, threadId, position };
        const read = row?.body ? readRow(database.file, StoredEntry, row.body, place) : undefined;
        entries.set(position, read);
        return read;
      },
      inputOf(seq: number) {
        const row = input.get(seq);
        return row && readRow(database.file, StoredInput, row.body, { what: `input ${seq}`, threadId });
      },
    };
  };

  const unreadable = (where: Where, last: number, cause: unknown): StoreCorruptError => {
    const problem = cause instanceof StoreCorruptError ? cause.message : "what it refers to is gone";
    const place = cause instanceof StoreCorruptError && cause.position !== undefined && { position: cause.position };
    const way = `To read on behind it, ask for what comes after: ${last}`;
    return new StoreCorruptError(database.file, { ...where, ...place }, `${problem} ${way}`, { cause });
  };

  /** Its facts behind `after`, one by one. */
  function* itemsOf(passage: Passage, after: number): Generator<FeedItem> {
    const { first, facts, at, threadId } = passage;
    const whereOf = (position: number) => ({ what: `position ${position} of the feed,`, threadId });
    const sources = sourcesOf(passage);
    let feed = first;
    try {
      const stored = readRow(database.file, StoredFacts, passage.body, whereOf(first)) as StoredFact[];
      // What one of them cannot say does not keep the others from being read.
      for (; feed < first + facts; feed++) {
        if (feed <= after) continue;
        const fact = wholeFact(stored[feed - first] as StoredFact, sources);
        if (!fact) throw new TypeError("a fact refers to nothing");
        yield { ...fact, threadId, feed, at };
      }
    } catch (cause) {
      throw unreadable(whereOf(feed), feed, cause);
    }
  }

  return {
    append(thread, at, facts) {
      const { next } = last.get() ?? { next: 1 };
      if (facts.length > 0) insert.run(next, facts.length, thread, at, JSON.stringify(facts));
      return next;
    },
    read({ after, limit, threadId }) {
      const items: FeedItem[] = [];
      if (limit <= 0) return items;
      const rows = threadId === undefined ? passages.iterate(after + 1) : passagesOf.iterate(after + 1, threadId);
      for (const passage of rows) {
        try {
          for (const item of itemsOf(passage, after)) if (items.push(item) >= limit) return items;
        } catch (error) {
          if (items.length > 0) break;
          throw error;
        }
      }
      return items;
    },
  };
};
