import { type Clock, systemClock } from "../../clock.ts";
import { OptionError } from "../../errors.ts";
import { consoleLogger, type Logger } from "../../logger.ts";
import type { SharedStore } from "../store.ts";
import { callsOn } from "./calls.ts";
import { childrenOn } from "./children.ts";
import { contractOn } from "./contract.ts";
import { databaseOn } from "./database.ts";
import { failureOf } from "./failures.ts";
import { feedOn } from "./feed.ts";
import { historyOn } from "./history.ts";
import { inboxOn } from "./inbox.ts";
import { leasesOn } from "./leases.ts";
import { type OpenedFile, openFile } from "./open.ts";
import { questionsOn } from "./questions.ts";
import { sharingOn } from "./sharing.ts";
import { threadsOn } from "./threads.ts";

export interface SqliteOptions {
  /**
   * `full` (default): what was acknowledged survives a power cut. `normal`: it survives the end of the process, and a power
   * cut can take the last of it; several times as fast.
   */
  readonly synchronous?: "full" | "normal";
  /** ms to wait for another process that holds the file, before an operation rejects. Default 5,000. */
  readonly busyTimeout?: number;
  /** Default: warnings and errors to the console. */
  readonly logger?: Logger;
}

/**
 * A store in one SQLite file, with a -wal and a -shm file beside it while it is open. Any number of processes may open the
 * same file. Opens it at once, and makes it when there is none, readable for its owner alone. `:memory:` is a store that
 * ends with the process.
 *
 * Throws OptionError; StoreFileError and StoreCorruptError when the file cannot be used, which is then left as it is. Later
 * failures reject with the same classes, and nothing of the operation was kept. Damage that shows when a value is read
 * rejects what needs that value, and nothing else.
 */
export const sqliteStore = (file: string, options: SqliteOptions = {}): SharedStore => {
  const { synchronous = "full", busyTimeout = 5_000, logger = consoleLogger } = options;
  if (typeof file !== "string" || file === "" || file.includes("\0"))
    throw new OptionError("file", 'name a file for the store, e.g. "agents.db".');
  if (synchronous !== "full" && synchronous !== "normal")
    throw new OptionError("synchronous", `${JSON.stringify(synchronous)} is neither "full" nor "normal".`);
  if (!Number.isInteger(busyTimeout) || busyTimeout < 0 || busyTimeout > 2 ** 31 - 1)
    throw new OptionError("busyTimeout", `${busyTimeout} is no number of ms. Give a whole number from 0.`);
  return storeOn(openFile(file, { synchronous, busyTimeout, logger }), { busyTimeout, clock: systemClock });
};

/** The store on a file that is open, which it closes when that fails. `clock` is for waiting alone. */
export const storeOn = (
  opened: OpenedFile,
  options: { readonly busyTimeout: number; readonly clock: Clock },
): SharedStore => {
  try {
    const database = databaseOn(opened, options);
    const feed = feedOn(database);
    const inbox = inboxOn(database, feed);
    const calls = callsOn(database);
    const history = historyOn(database);
    const threads = threadsOn(database);
    const children = childrenOn(database);
    const questions = questionsOn(database);
    const leases = leasesOn(database);
    const parts = { feed, inbox, calls, history, threads, children, questions, leases };
    return { ...contractOn(database, parts), ...sharingOn(database, parts) };
  } catch (error) {
    opened.connection.close();
    throw failureOf(opened.file, error, "the schema");
  }
};
