import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { FeedItem } from "../../../machines/thread/facts.ts";
import { silentLogger } from "../../../src/logger.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { notebook } from "../notes.ts";
import { type Load, pause } from "./load.ts";

/** A fact, at its place in the feed; `text`: of the model. */
export interface ReadNote {
  readonly feed: number;
  readonly type: string;
  readonly text?: string;
}

/** ms between looks. */
const interval = 20;

/** Facts that are read at once: few, so that a process is often killed in the middle of a page. */
const page = 20;

/** Where the reader reads on, from the file; 0 at first. */
export const cursorIn = (file: string): number => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);

export const noteOf = (fact: FeedItem): ReadNote => {
  const { feed, type } = fact;
  return fact.type === "round.ended" ? { feed, type, text: fact.text } : { feed, type };
};

/** Handles every fact of the feed, then moves its cursor: killed in between, it handles some again and misses none. */
export const read = async (load: Load): Promise<void> => {
  const store = sqliteStore(load.file, { logger: silentLogger });
  const book = notebook<ReadNote>(load.read);
  for (let after = cursorIn(load.cursor); ; ) {
    const facts = await store.feed({ after, limit: page });
    for (const fact of facts) {
      book.add(noteOf(fact));
      after = fact.feed;
    }
    if (facts.length > 0) {
      writeFileSync(`${load.cursor}.next`, String(after));
      renameSync(`${load.cursor}.next`, load.cursor);
    } else await pause(interval);
  }
};
