import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Usage } from "../../../machines/round/turn.ts";
import { newRecord, type ThreadRecord } from "../../../machines/thread/commit.ts";
import type { NewThread, Opening } from "../../../machines/thread/family.ts";
import { StoreError } from "../../errors.ts";
import type { Store, ThreadSpec, ThreadSummary } from "../store.ts";
import type { Database, Statement } from "./database.ts";
import { readRow, StoredOpening, StoredQuarantine, StoredRecord, StoredSpec, StoredState } from "./rows.ts";

/** A thread's own row: who it is, how often it committed, its record (S3, S8, S10, S14). */
export interface Threads {
  /** Inside a `write`. False when the name is taken. */
  create(threadId: ThreadId, spec: ThreadSpec, at: number): boolean;
  /**
   * Inside a `write`: a child of the thread, with its record; the number that stands for it. Throws StoreError, which
   * undoes the write, when the name is taken.
   */
  open(parent: number, child: NewThread): number;
  /** The number that stands for the thread, and how often it committed. */
  find(threadId: ThreadId): { readonly id: number; readonly version: number } | undefined;
  read(threadId: ThreadId): ThreadRow | undefined;
  /** Inside a `write`: counts a commit, and keeps the record when it brings one. Returns the version that follows. */
  advance(thread: { readonly id: number; readonly version: number }, record: ThreadRecord | null): number;
  /** What a root and all below it have used (S22). */
  treeUsage(root: ThreadId): Usage;
  list(query: NonNullable<Parameters<Store["threads"]>[0]>): ThreadSummary[];
}

export interface ThreadRow {
  readonly id: number;
  readonly version: number;
  readonly record: ThreadRecord;
  /** A child's is that of its root. */
  readonly spec: ThreadSpec;
  readonly opening: Opening | null;
}

interface Row {
  readonly id: number;
  readonly version: number;
  readonly record: string | null;
  readonly spec: string;
  readonly opening: string | null;
}

interface SummaryRow {
  readonly threadId: ThreadId;
  readonly parent: ThreadId | null;
  readonly state: string;
  readonly waiting: number;
  readonly due: number;
  /** JSON; null where there is none. */
  readonly quarantined: string | null;
  readonly restarts: number | null;
}

const summary = `SELECT name AS threadId, state,
  (SELECT above.name FROM thread AS above WHERE above.id = thread.parent) AS parent,
  (SELECT count(*) FROM inbox WHERE inbox.thread = thread.id) AS waiting,
  (round_due OR EXISTS (SELECT 1 FROM call WHERE call.thread = thread.id AND call.due)
    OR EXISTS (SELECT 1 FROM subscription WHERE subscription.thread = thread.id AND subscription.due)) AS due,
  iif(json_valid(record), json_extract(record, '$.quarantined'), NULL) AS quarantined,
  iif(json_valid(record), json_extract(record, '$.restarts'), NULL) AS restarts`;

/** From those that have work to their rows: threads that rest are not looked at, however many there are. */
const worklist = `(SELECT thread AS id FROM inbox UNION SELECT thread FROM call WHERE due
  UNION SELECT thread FROM subscription WHERE due UNION SELECT id FROM thread WHERE round_due) AS work CROSS JOIN thread ON thread.id = work.id`;

/** Which threads, by what stands above them. */
const places = {
  anywhere: "",
  root: "AND thread.parent IS NULL",
  child: "AND thread.parent = (SELECT above.id FROM thread AS above WHERE above.name = ?4)",
};

const listing = (from: string, place: keyof typeof places) =>
  `${summary} FROM ${from} WHERE name > ?1 AND (?2 IS NULL OR state = ?2) ${places[place]} ORDER BY name LIMIT ?3`;

type Used = Required<Omit<Usage, "cost">> & { readonly cost: number | null };

const noUsage: Used = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, cost: null };

/** A record that is damaged counts nothing: its own thread is refused when it is loaded, and no other is. */
const used = (part: keyof Usage) =>
  `sum(iif(json_valid(record), json_extract(record, '$.usage.${part}'), NULL)) AS ${part}`;
const parts = ["inputTokens", "outputTokens", "cachedInputTokens", "reasoningTokens"] as const;

const treeUsageOf = `SELECT ${parts.map((part) => `coalesce(${part}, 0) AS ${part}`).join(", ")}, cost FROM (
  SELECT ${[...parts, "cost" as const].map(used).join(", ")} FROM (SELECT id AS top FROM thread WHERE name = ?1)
  JOIN thread ON thread.id = top OR thread.id IN (SELECT opening.thread FROM opening WHERE opening.root = top))`;

export const threadsOn = (database: Database): Threads => {
  const insert = database.prepare(`
    INSERT INTO thread (name, version, state, round_due) VALUES (?, 0, '${newRecord.state}', 0)`);
  const insertSpec = database.prepare("INSERT INTO spec (thread, created, body) VALUES (?, ?, ?)");
  const find = database.prepare<{ id: number; version: number }>("SELECT id, version FROM thread WHERE name = ?");
  const insertChild = database.prepare(
    "INSERT INTO thread (name, version, state, round_due, record, parent) VALUES (?, 0, ?, ?, ?, ?)",
  );
  const insertOpening = database.prepare(`
    INSERT INTO opening (thread, root, body)
    VALUES (?1, coalesce((SELECT root FROM opening AS above WHERE above.thread = ?2), ?2), ?3)`);
  const read = database.prepare<Row>(`
    SELECT id, version, record, spec.body AS spec, opening.body AS opening
    FROM thread LEFT JOIN opening ON opening.thread = thread.id JOIN spec ON spec.thread = coalesce(opening.root, thread.id)
    WHERE name = ?`);
  const treeUsage = database.prepare<Used>(treeUsageOf);
  const count = database.prepare("UPDATE thread SET version = ?2 WHERE id = ?1");
  const keep = database.prepare(
    "UPDATE thread SET version = ?2, state = ?3, round_due = ?4, record = ?5 WHERE id = ?1",
  );
  const listings = (from: string): Record<keyof typeof places, Statement<SummaryRow>> => ({
    anywhere: database.prepare(listing(from, "anywhere")),
    root: database.prepare(listing(from, "root")),
    child: database.prepare(listing(from, "child")),
  });
  const [all, withWork] = [listings("thread"), listings(worklist)];

  const quarantineIn = (json: string | null, threadId: ThreadId) => {
    if (json === null) return {};
    try {
      return { quarantined: readRow(database.file, StoredQuarantine, json, { what: "the quarantine", threadId }) };
    } catch {
      return {};
    }
  };

  /**
   * One thread that cannot be read hides no other. It is listed as one that runs: who takes it up has it read as a whole, and
   * is told what is wrong with it.
   */
  const checked = ({ threadId, parent, state, waiting, due, quarantined, restarts }: SummaryRow): ThreadSummary => {
    const { data = "running" } = StoredState.safeParse(state);
    const aside = quarantineIn(quarantined, threadId);
    return { threadId, parent, state: data, waiting, due: due === 1, ...aside, ...(restarts && { restarts }) };
  };

  return {
    create(threadId, spec, at) {
      if (find.get(threadId)) return false;
      const id = Number(insert.run(threadId).lastInsertRowid);
      insertSpec.run(id, at, JSON.stringify(spec));
      return true;
    },
    open(parent, { threadId, record, opening }) {
      if (find.get(threadId))
        throw new StoreError(`there is a thread ${threadId} already; the commit that would open it was not made.`);
      const { state, roundDue } = record;
      const row = insertChild.run(threadId, state, roundDue ? 1 : 0, JSON.stringify(record), parent);
      const id = Number(row.lastInsertRowid);
      insertOpening.run(id, parent, JSON.stringify(opening));
      return id;
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
      const opening =
        row.opening === null
          ? null
          : readRow(database.file, StoredOpening, row.opening, { what: "the opening", threadId });
      const root = opening?.stack[0] ?? threadId;
      const spec = readRow(database.file, StoredSpec, row.spec, { what: "the spec", threadId: root });
      return { id, version, record, spec, opening };
    },
    advance({ id, version }, record) {
      if (record) keep.run(id, version + 1, record.state, record.roundDue ? 1 : 0, JSON.stringify(record));
      else count.run(id, version + 1);
      return version + 1;
    },
    treeUsage: (root) => {
      const { cost, ...tokens } = treeUsage.get(root) ?? noUsage;
      return cost === null ? tokens : { ...tokens, cost };
    },
    list({ state = null, parent, withWork: narrow = false, after = "", limit = Number.POSITIVE_INFINITY }) {
      const by = narrow ? withWork : all;
      const values = [after, state, Number.isFinite(limit) ? limit : -1];
      if (parent === undefined) return by.anywhere.all(...values).map(checked);
      return (parent === null ? by.root.all(...values) : by.child.all(...values, parent)).map(checked);
    },
  };
};
