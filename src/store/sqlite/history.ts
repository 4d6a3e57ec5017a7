import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { StoreError } from "../../errors.ts";
import type { Database } from "./database.ts";
import { isConflict } from "./failures.ts";
import { readRow, StoredEntry } from "./rows.ts";

/** Entries are appended in the order of the commits and read by position (S5). */
export interface History {
  /** Inside a `write`. Throws StoreError, which undoes the write, when a position is taken (R5). */
  add(thread: number, threadId: ThreadId, entries: readonly PlacedEntry[]): void;
  /** With `from <= position < to`, ascending. */
  between(threadId: ThreadId, from: number, to: number): PlacedEntry[];
}

export const historyOn = (database: Database): History => {
  const insert = database.prepare("INSERT INTO entry (thread, position, body) VALUES (?, ?, ?)");
  const select = database.prepare<{ position: number; body: string }>(`
    SELECT position, body FROM entry
    WHERE thread = (SELECT id FROM thread WHERE name = ?) AND position >= ? AND position < ? ORDER BY position`);

  return {
    add(thread, threadId, entries) {
      for (const { position, entry } of entries) {
        try {
          insert.run(thread, position, JSON.stringify(entry));
        } catch (cause) {
          if (!isConflict(cause)) throw cause;
          const problem = `position ${position} of thread ${threadId} has an entry already; the commit was not made.`;
          throw new StoreError(problem, { cause });
        }
      }
    },
    between: (threadId, from, to) =>
      select.all(threadId, from, to).map(({ position, body }) => {
        const where = { what: `entry ${position}`, threadId, position };
        return { position, entry: readRow(database.file, StoredEntry, body, where) };
      }),
  };
};
