import type { Clock } from "../../clock.ts";
import { StoreClosedError } from "../../errors.ts";
import { failureOf, isBusy } from "./failures.ts";
import type { OpenedFile } from "./open.ts";

type Value = string | number | null;

/** A prepared statement that gives rows of one shape; STRICT tables see to the types of the columns. */
export interface Statement<Row> {
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
  iterate(...values: Value[]): Iterable<Row>;
  run(...values: Value[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
}

/** One connection, used by transactions that run to their end before anything else does. */
export interface Database {
  /** As it is named in errors. */
  readonly file: string;
  /** Once for each statement, when the store is made: a schema that is damaged is found then. */
  prepare<Row = never>(sql: string): Statement<Row>;
  /**
   * Runs `work` in one transaction: everything it wrote is durable when the promise resolves, or nothing is when it
   * rejects. While another process holds the file it is tried again, without blocking this process, up to `busyTimeout`;
   * so `work` does nothing that may not be done twice. `what` completes "the store was closed before …". With `survives:
   * "process"` a power cut may take it, which is enough for what no process can have outlived.
   */
  write<T>(what: string, work: () => T, options?: { readonly survives: "process" }): Promise<T>;
  /** The same for what only reads: `work` sees one state of the database, whatever others write meanwhile. */
  read<T>(what: string, work: () => T): Promise<T>;
  /** Idempotent. */
  close(): void;
}

/** ms that SQLite itself waits for a lock, with this process blocked: others hold it for less, as a rule. */
const blocked = 10;
/** ms between tries after that. */
const waits = [5, 10, 20, 50] as const;

export const databaseOn = (
  { file, connection }: OpenedFile,
  { busyTimeout, clock }: { readonly busyTimeout: number; readonly clock: Clock },
): Database => {
  connection.exec(`PRAGMA busy_timeout = ${Math.min(blocked, busyTimeout)}`);
  const begin = { write: connection.prepare("BEGIN IMMEDIATE"), read: connection.prepare("BEGIN") };
  /** 2: what is committed survives a power cut. */
  const isFull = connection.prepare("PRAGMA synchronous").get()?.synchronous === 2;
  const commit = connection.prepare("COMMIT");
  const rollback = connection.prepare("ROLLBACK");

  const transact = <T>(mode: "read" | "write", work: () => T): T => {
    begin[mode].run();
    try {
      const outcome = work();
      commit.run();
      return outcome;
    } catch (error) {
      if (connection.isTransaction) rollback.run();
      throw error;
    }
  };

  const swiftly = <T>(work: () => T): T => {
    connection.exec("PRAGMA synchronous = NORMAL");
    try {
      return transact("write", work);
    } finally {
      connection.exec("PRAGMA synchronous = FULL");
    }
  };

  const untilFree = async <T>(what: string, transaction: () => T): Promise<T> => {
    let waited = 0;
    for (let tries = 0; ; tries++) {
      if (!connection.isOpen) throw new StoreClosedError(what);
      try {
        return transaction();
      } catch (error) {
        if (!isBusy(error) || waited >= busyTimeout) throw failureOf(file, error);
      }
      const wait = Math.min(waits[Math.min(tries, waits.length - 1)] ?? 50, busyTimeout - waited);
      waited += wait;
      await new Promise<void>((resolve) => clock.setTimeout(resolve, wait));
    }
  };

  return {
    file,
    prepare: <Row>(sql: string) => connection.prepare(sql) as unknown as Statement<Row>,
    write: (what, work, options) =>
      untilFree(what, () => (options && isFull ? swiftly(work) : transact("write", work))),
    read: (what, work) => untilFree(what, () => transact("read", work)),
    close: () => connection.isOpen && connection.close(),
  };
};
