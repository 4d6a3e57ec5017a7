import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { silentLogger } from "../../../src/logger.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { notebook } from "../notes.ts";
import { type Load, pause } from "./load.ts";

/** A text of the model, at its place in the feed. */
export interface ReadNote {
  readonly feed: number;
  readonly text: string;
}

/** ms between looks. */
const interval = 20;

/** Facts that are read at once: few, so that a process is often killed in the middle of a page. */
const page = 20;

/** Where the reader reads on, from the file; 0 at first. */
export const cursorIn = (file: string): number => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);

/** Handles every text of the feed, then moves its cursor: killed in between, it handles some again and misses none. */
export const read = async (load: Load): Promise<void> => {
  const store = sqliteStore(load.file, { logger: silentLogger });
  const book = notebook<ReadNote>(load.read);
  for (let after = cursorIn(load.cursor); ; ) {
    const facts = await store.feed({ after, limit: page });
    for (const fact of facts) {
      if (fact.type === "round.ended" && fact.text !== "") book.add({ feed: fact.feed, text: fact.text });
      after = fact.feed;
    }
    if (facts.length > 0) {
      writeFileSync(`${load.cursor}.next`, String(after));
      renameSync(`${load.cursor}.next`, load.cursor);
    } else await pause(interval);
  }
};
