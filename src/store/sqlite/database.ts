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
   * so `work` does nothing that may not be done twice. `what` completes "the store was closed before …".
   */
  write<T>(what: string, work: () => T): Promise<T>;
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

  const untilFree = async <T>(mode: "read" | "write", what: string, work: () => T): Promise<T> => {
    let waited = 0;
    for (let tries = 0; ; tries++) {
      if (!connection.isOpen) throw new StoreClosedError(what);
      try {
        return transact(mode, work);
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
    write: (what, work) => untilFree("write", what, work),
    read: (what, work) => untilFree("read", what, work),
    close: () => connection.isOpen && connection.close(),
  };
};
