import { closeSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreFileError } from "../../errors.ts";
import type { Logger } from "../../logger.ts";
import { examine } from "./examine.ts";
import { failureOf } from "./failures.ts";
import { migrate, migrations } from "./schema.ts";

export interface OpenOptions {
  readonly synchronous: "full" | "normal";
  /** ms to wait for other processes that hold the file. */
  readonly busyTimeout: number;
  readonly logger: Logger;
}

export interface OpenedFile {
  /** The absolute path, or `:memory:`. */
  readonly file: string;
  readonly connection: DatabaseSync;
}

/** Pages (16 MB) in the -wal file before they are moved to the file: each time waits for the disk, at NORMAL too. */
const checkpointPages = 4_000;
/** Bytes that the -wal file keeps after a checkpoint; a burst may have made it longer. */
const walKept = 64 * 1024 * 1024;

/**
 * Opens a store's file, makes it when there is none (readable for its owner alone), and brings its schema up to date.
 * Blocks for at most `busyTimeout` while another process does the same. What is in the file decides nothing about how long
 * this takes. Throws StoreFileError and StoreCorruptError, with the file as it was.
 */
export const openFile = (name: string, options: OpenOptions): OpenedFile => {
  const file = name === ":memory:" ? name : resolve(name);
  if (file !== ":memory:" && examine(file) === "new") makeFile(file);
  const connection = new DatabaseSync(file, { open: false, timeout: options.busyTimeout });
  try {
    connection.open();
    setUp(connection, file, options);
    return { file, connection };
  } catch (error) {
    if (connection.isOpen) connection.close();
    throw failureOf(file, error, "the schema");
  }
};

/** SQLite gives -wal and -shm the mode of the file. */
const makeFile = (file: string): void => {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new StoreFileError(file, "STORE_FULL", "could not be made: there is no room left. Free some space.", {
        cause,
      });
    if (code === "EACCES" || code === "EPERM")
      throw new StoreFileError(
        file,
        "STORE_PERMISSION",
        "could not be made: this user cannot write to the folder. Make it writable; -wal and -shm files are kept there too.",
        { cause },
      );
    if (code === "EROFS")
      throw new StoreFileError(file, "STORE_READ_ONLY", "would be on a disk that can only be read. Name another.", {
        cause,
      });
    throw new StoreFileError(file, "STORE_PATH", `could not be made (${code}). Name a file that this user can make.`, {
      cause,
    });
  }
};

const setUp = (connection: DatabaseSync, file: string, { synchronous, logger }: OpenOptions): void => {
  connection.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;");
  // Before the change to WAL: what tells that the file is ours is then in the file itself, never in its -wal file alone.
  const from = migrate(connection);
  if (from < migrations.length)
    logger.info({ file, from, to: migrations.length }, "the store's schema was brought up to date");
  const mode = (connection.prepare("PRAGMA journal_mode = WAL").get() as { journal_mode: string }).journal_mode;
  if (mode !== "wal" && file !== ":memory:")
    throw new StoreFileError(file, "STORE_IO", "is on a file system without shared memory. Put it on a local disk.");
  connection.exec(`PRAGMA synchronous = ${synchronous === "normal" ? "NORMAL" : "FULL"};`);
  connection.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}; PRAGMA journal_size_limit = ${walKept};`);
};
