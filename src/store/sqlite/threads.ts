import type { ThreadId } from "../../../machines/history/ids.ts";
import { newRecord, type ThreadRecord } from "../../../machines/thread/commit.ts";
import { StoreCorruptError } from "../../errors.ts";
import type { Store, ThreadSpec, ThreadSummary } from "../store.ts";
import type { Database, Statement } from "./database.ts";
import { readRow, StoredRecord, StoredSpec, StoredState } from "./rows.ts";

/** A thread's own row: who it is, how often it committed, its record (S3, S8, S10). */
export interface Threads {
  /** Inside a `write`. False when the name is taken. */
  create(threadId: ThreadId, spec: ThreadSpec, at: number): boolean;
  /** The number that stands for the thread, and how often it committed. */
  find(threadId: ThreadId): { readonly id: number; readonly version: number } | undefined;
  read(
    threadId: ThreadId,
  ):
    | { readonly id: number; readonly version: number; readonly record: ThreadRecord; readonly spec: ThreadSpec }
    | undefined;
  /** Inside a `write`: counts a commit, and keeps the record when it brings one. Returns the version that follows. */
  advance(thread: { readonly id: number; readonly version: number }, record: ThreadRecord | null): number;
  list(query: NonNullable<Parameters<Store["threads"]>[0]>): ThreadSummary[];
}

interface Row {
  readonly id: number;
  readonly version: number;
  readonly record: string | null;
  readonly spec: string;
}

interface SummaryRow {
  readonly threadId: ThreadId;
  readonly state: string;
  readonly waiting: number;
  readonly due: number;
}

const summary = `SELECT name AS threadId, state,
  (SELECT count(*) FROM inbox WHERE inbox.thread = thread.id) AS waiting,
  (round_due OR EXISTS (SELECT 1 FROM call WHERE call.thread = thread.id AND call.due)
    OR EXISTS (SELECT 1 FROM subscription WHERE subscription.thread = thread.id AND subscription.due)) AS due`;

/** From those that have work to their rows: threads that rest are not looked at, however many there are. */
const worklist = `(SELECT thread AS id FROM inbox UNION SELECT thread FROM call WHERE due
  UNION SELECT thread FROM subscription WHERE due UNION SELECT id FROM thread WHERE round_due) AS work CROSS JOIN thread ON thread.id = work.id`;

const listing = (from: string) =>
  `${summary} FROM ${from} WHERE name > ?1 AND (?2 IS NULL OR state = ?2) ORDER BY name LIMIT ?3`;

export const threadsOn = (database: Database): Threads => {
  const insert = database.prepare(`
    INSERT INTO thread (name, version, state, round_due) VALUES (?, 0, '${newRecord.state}', 0)`);
  const insertSpec = database.prepare("INSERT INTO spec (thread, created, body) VALUES (?, ?, ?)");
  const find = database.prepare<{ id: number; version: number }>("SELECT id, version FROM thread WHERE name = ?");
  const read = database.prepare<Row>(`
    SELECT id, version, record, spec.body AS spec FROM thread JOIN spec ON spec.thread = thread.id WHERE name = ?`);
  const count = database.prepare("UPDATE thread SET version = ?2 WHERE id = ?1");
  const keep = database.prepare(
    "UPDATE thread SET version = ?2, state = ?3, round_due = ?4, record = ?5 WHERE id = ?1",
  );
  const all: Statement<SummaryRow> = database.prepare(listing("thread"));
  const withWork: Statement<SummaryRow> = database.prepare(listing(worklist));

  const checked = ({ threadId, state, waiting, due }: SummaryRow): ThreadSummary => {
    const known = StoredState.safeParse(state);
    if (!known.success) throw new StoreCorruptError(database.file, { what: "the state", threadId }, `it is ${state}`);
    return { threadId, state: known.data, waiting, due: due === 1 };
  };

  return {
    create(threadId, spec, at) {
      if (find.get(threadId)) return false;
      const id = Number(insert.run(threadId).lastInsertRowid);
      insertSpec.run(id, at, JSON.stringify(spec));
      return true;
    },
    find: (threadId) => find.get(threadId),
    read(threadId) {
      const row = read.get(threadId);
      if (!row) return undefined;
      const { id, version } = row;
      const record =
        row.record === null
          ? newRecord
          : readRow(database.file, StoredRecord, row.record, { what: "the record", threadId });
      return {
        id,
        version,
        record,
        spec: readRow(database.file, StoredSpec, row.spec, { what: "the spec", threadId }),
      };
    },
    advance({ id, version }, record) {
      if (record) keep.run(id, version + 1, record.state, record.roundDue ? 1 : 0, JSON.stringify(record));
      else count.run(id, version + 1);
      return version + 1;
    },
    list({ state = null, withWork: narrow = false, after = "", limit = Number.POSITIVE_INFINITY }) {
      const statement = narrow ? withWork : all;
      return statement.all(after, state, Number.isFinite(limit) ? limit : -1).map(checked);
    },
  };
};
