import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import { type HistoryRepair, repairOf } from "../../machines/history/repair.ts";
import { isReadable, type StoredRow } from "../../machines/history/stored-row.ts";
import type { Call, ThreadRecord } from "../../machines/thread/commit.ts";
import type { Opening, SummaryPlace } from "../../machines/thread/family.ts";
import type { Store } from "../store/store.ts";

/** What a thread knows of its history without reading it. */
export interface KnownOfThread {
  readonly record: Pick<ThreadRecord, "nextPosition">;
  /** The summary in force: what it covers is not read. */
  readonly summary: SummaryPlace | null;
  readonly calls: readonly Pick<Call, "callId" | "position">[];
  /** The instant of what a repair puts in. */
  readonly at: number;
  /** Never the same twice. */
  readonly freshId: () => string;
}

/** What a child is told, at its birth, of the calls that are open above it. */
const isTold = (row: StoredRow): boolean =>
  isReadable(row) &&
  row.entry.kind === "result" &&
  (row.entry.origin === "spawn_seed" || row.entry.origin === "elsewhere");

/** Where the thread's own part begins. Before that stands what it inherits, with what it was told of open calls there. */
const beginningOf = (rows: readonly StoredRow[], opening: Opening | null): number => {
  if (!opening) return 0;
  let first = opening.position;
  for (const row of rows) {
    if (row.position < first) continue;
    if (row.position > first || !isTold(row)) break;
    first++;
  }
  return first;
};

/** A thread's own entries, read once, and what mends them. */
export interface OwnHistory {
  /** What reads as an entry. */
  readonly entries: readonly PlacedEntry[];
  /** Null when they are well formed. Threads above mend theirs. */
  readonly repair: HistoryRepair | null;
}

export const readOwn = async (
  store: Pick<Store, "rows" | "history">,
  { threadId, opening }: { readonly threadId: ThreadId; readonly opening: Opening | null },
  { record, calls, summary, at, freshId }: KnownOfThread,
): Promise<OwnHistory> => {
  const from = summary?.upTo ?? 0;
  const rows = store.rows ? await store.rows(threadId, { from }) : await store.history(threadId, { from });
  const first = Math.max(beginningOf(rows, opening), from);
  const repair = repairOf(
    rows.filter(({ position }) => position >= first),
    {
      calls,
      nextPosition: record.nextPosition,
      first,
      at,
      freshCall: () => `${threadId}#${freshId()}.0` as CallId,
    },
  );
  return { entries: rows.filter(isReadable), repair };
};
