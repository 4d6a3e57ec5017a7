import { StoreCorruptError, StoreFileError } from "../../errors.ts";

/** SQLite's result codes, without the extension in the higher bits. */
const [ERROR, BUSY, LOCKED, READONLY, IOERR, CORRUPT] = [1, 5, 6, 8, 10, 11] as const;
const [FULL, CANTOPEN, CONSTRAINT, MISMATCH, NOTADB] = [13, 14, 19, 20, 26] as const;

/** The primary result code of an error of SQLite; undefined for any other error. */
export const resultOf = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
};

/** Another connection holds a lock: trying again helps. */
export const isBusy = (error: unknown): boolean => {
  const result = resultOf(error);
  return result === BUSY || result === LOCKED;
};

/** SQLite could not read without writing first: a transaction that was cut short waits to be undone. */
export const isReadOnly = (error: unknown): boolean => resultOf(error) === READONLY;

export const isCorrupt = (error: unknown): boolean => resultOf(error) === CORRUPT;

export const isForeign = (error: unknown): boolean => resultOf(error) === NOTADB;

/** A row that may be there once is there already. */
export const isConflict = (error: unknown): boolean => resultOf(error) === CONSTRAINT;

/** `what`: the thing in hand, for damage. An error that is no failure of the file comes back as it is. */
export const failureOf = (file: string, error: unknown, what = "a page of the file"): unknown => {
  const cause = { cause: error };
  // No number of ours is beyond what JavaScript holds exactly.
  if (error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE")
    return new StoreCorruptError(file, { what: "a number" }, error.message, cause);
  switch (resultOf(error)) {
    case BUSY:
    case LOCKED:
      return new StoreFileError(
        file,
        "STORE_LOCKED",
        "is locked by another process that has been writing for too long. End that process or its transaction, or give a longer busyTimeout.",
        cause,
      );
    case READONLY:
      return new StoreFileError(
        file,
        "STORE_READ_ONLY",
        "can only be read. Make the file and its folder writable for this user.",
        cause,
      );
    case FULL:
      return new StoreFileError(
        file,
        "STORE_FULL",
        "could not be written: there is no room left. Nothing of this write was kept. Free some space and try again.",
        cause,
      );
    // What our statements say is right for our schema: when they fail for what they say, the schema or a row is another.
    case ERROR:
    case CONSTRAINT:
    case MISMATCH:
    case CORRUPT:
    case NOTADB:
      return new StoreCorruptError(file, { what }, (error as Error).message, cause);
    case CANTOPEN:
      return new StoreFileError(
        file,
        "STORE_PERMISSION",
        "or the -wal and -shm files beside it could not be opened. Let this user read and write them and their folder.",
        cause,
      );
    case IOERR:
      return new StoreFileError(
        file,
        "STORE_IO",
        `could not be read or written: ${(error as Error).message}. Look at the disk; the file must be on a local one.`,
        cause,
      );
    default:
      return error;
  }
};
