import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { recovered } from "../../../machines/history/recover.ts";
import { isReadable, type StoredRow } from "../../../machines/history/stored-row.ts";
import type { Summary, ThreadCommit } from "../../../machines/thread/commit.ts";
import { StoreError } from "../../errors.ts";
import type { RowSetAside } from "../store.ts";
import type { Database } from "./database.ts";
import { isConflict } from "./failures.ts";
import { StoredEntry } from "./rows.ts";

/** Entries are appended in the order of the commits and read by position (S5). */
export interface History {
  /** Inside a `write`. Throws StoreError, which undoes the write, when a position is taken (R5). */
  add(thread: number, threadId: ThreadId, entries: readonly PlacedEntry[]): void;
  /** With `from <= position < to`, ascending. Of a row that does not read as an entry, what can be read. */
  between(threadId: ThreadId, from: number, to: number): PlacedEntry[];
  rows(threadId: ThreadId, from: number): StoredRow[];
  /** Inside a `write`. */
  summarise(thread: number, summary: Summary): void;
  summary(threadId: ThreadId, upTo: number): string | undefined;
  /** Inside a `write`. */
  repair(thread: number, repair: NonNullable<ThreadCommit["repair"]>, at: number): void;
  setAside(threadId: ThreadId): RowSetAside[];
}

export const historyOn = (database: Database): History => {
  const insert = database.prepare("INSERT INTO entry (thread, position, body) VALUES (?, ?, ?)");
  const select = database.prepare<{ position: number; body: string }>(`
    SELECT position, body FROM entry
    WHERE thread = (SELECT id FROM thread WHERE name = ?) AND position >= ? AND position < ? ORDER BY position`);

  const selectAll = database.prepare<{ position: number; body: string }>(`
    SELECT position, body FROM entry WHERE thread = (SELECT id FROM thread WHERE name = ?) AND position >= ? ORDER BY position`);
  const keepSummary = database.prepare("INSERT OR REPLACE INTO summary (thread, up_to, body) VALUES (?, ?, ?)");
  const readSummary = database.prepare<{ body: string }>(
    "SELECT body FROM summary WHERE thread = (SELECT id FROM thread WHERE name = ?) AND up_to = ?",
  );
  const keep = database.prepare(`
    INSERT INTO set_aside (thread, position, body, at)
    SELECT thread, position, body, ?3 FROM entry WHERE thread = ?1 AND position = ?2`);
  const remove = database.prepare("DELETE FROM entry WHERE thread = ? AND position = ?");
  const kept = database.prepare<RowSetAside>(`
    SELECT position, body AS stored, at FROM set_aside
    WHERE thread = (SELECT id FROM thread WHERE name = ?) ORDER BY at, position`);

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
      select.all(threadId, from, to).flatMap(({ position, body }) => {
        const row = rowOf(position, body);
        if (isReadable(row)) return [row];
        const entry = recovered(body, 0);
        return entry ? [{ position, entry }] : [];
      }),
    summarise: (thread, { upTo, text }) => void keepSummary.run(thread, upTo, text),
    summary: (threadId, upTo) => readSummary.get(threadId, upTo)?.body,
    rows: (threadId, from) => selectAll.all(threadId, from).map(({ position, body }) => rowOf(position, body)),
    repair(thread, { entries, removed }, at) {
      for (const position of [...entries.map((placed) => placed.position), ...removed]) {
        keep.run(thread, position, at);
        remove.run(thread, position);
      }
      for (const { position, entry } of entries) insert.run(thread, position, JSON.stringify(entry));
    },
    setAside: (threadId) => kept.all(threadId),
  };
};

const rowOf = (position: number, body: string): StoredRow => {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { position, damaged: body };
  }
  const read = StoredEntry.safeParse(value);
  return read.success ? { position, entry: read.data } : { position, damaged: body };
};
