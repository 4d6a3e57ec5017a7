import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreCorruptError, StoreFileError } from "../../errors.ts";
import { failureOf, isReadOnly } from "./failures.ts";
import { applicationId, migrations, versionOf } from "./schema.ts";

const magic = Buffer.from("SQLite format 3\0");

/**
 * Says what is at a path before anything is done there: `new` (nothing, or an empty file), or `ours`. For everything else
 * it throws, with nothing changed: StoreFileError, or StoreCorruptError when the file is damaged so that it cannot be read.
 */
export const examine = (path: string): "new" | "ours" => {
  const stats = statsOf(path);
  checkFolder(path);
  if (stats) {
    if (!stats.isFile())
      throw new StoreFileError(
        path,
        "STORE_PATH",
        `is ${stats.isDirectory() ? "a folder" : "no regular file"}. Name a file.`,
      );
    checkAccess(path);
  }
  if (!stats || stats.size === 0) {
    if ((statsOf(`${path}-wal`)?.size ?? 0) > 0)
      throw new StoreCorruptError(
        path,
        { what: "the file itself, which is empty or gone while its -wal file is still there," },
        "the -wal file alone is no database; remove it only if nothing in it matters",
      );
    return "new";
  }
  checkHeader(path);
  checkInside(path);
  return "ours";
};

const statsOf = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const permission = code === "EACCES" || code === "EPERM";
    throw new StoreFileError(
      path,
      permission ? "STORE_PERMISSION" : "STORE_PATH",
      `cannot be there (${code}). ${permission ? "Let this user into the folder." : "Name a file in a folder that exists."}`,
      { cause },
    );
  }
};

const may = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

const checkFolder = (path: string): void => {
  const folder = dirname(path);
  if (!statsOf(folder)?.isDirectory())
    throw new StoreFileError(path, "STORE_PATH", `is in no folder: make ${folder} first.`);
  if (!may(folder, constants.W_OK | constants.X_OK))
    throw new StoreFileError(
      path,
      "STORE_PERMISSION",
      `is in a folder that this user cannot write to, and -wal and -shm files are kept beside it. Make ${folder} writable.`,
    );
};

const checkAccess = (path: string): void => {
  if (!may(path, constants.R_OK))
    throw new StoreFileError(
      path,
      "STORE_PERMISSION",
      "cannot be read by this user. Give it read and write permission.",
    );
  if (!may(path, constants.W_OK))
    throw new StoreFileError(path, "STORE_READ_ONLY", "can only be read by this user. Give it write permission.");
};

const readHeader = (path: string): Buffer => {
  const header = Buffer.alloc(100);
  const file = openSync(path, "r");
  try {
    return header.subarray(0, readSync(file, header, 0, header.length, 0));
  } finally {
    closeSync(file);
  }
};

/** The header alone tells strangers apart, so that SQLite never gets to write to one. */
const checkHeader = (path: string): void => {
  const header = readHeader(path);
  const begin = header.subarray(0, magic.length);
  if (!begin.equals(magic.subarray(0, begin.length)))
    throw new StoreFileError(
      path,
      "STORE_FOREIGN",
      "is no SQLite database, or its first bytes are damaged. Name another file, or restore this one from a backup.",
    );
  if (header.length < 100)
    throw new StoreCorruptError(path, { what: "the header" }, `the file ends after ${header.length} bytes`);
  if (header.readUInt32BE(68) !== applicationId)
    throw new StoreFileError(path, "STORE_FOREIGN", "is a database of another program. Name another file.");
  checkVersion(path, header.readUInt32BE(60));
};

const checkVersion = (path: string, version: number): void => {
  if (version > migrations.length)
    throw new StoreFileError(
      path,
      "STORE_NEWER",
      `has version ${version} of the schema, and this version of wakeful reads up to ${migrations.length}. Update wakeful.`,
    );
};

/**
 * Reads the schema as SQLite sees it, a left-over -wal file included: that file can hold a newer version than the header.
 * The connection cannot write, so closing it moves nothing from the -wal file into a file that we then refuse.
 */
const checkInside = (path: string): void => {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  try {
    checkVersion(path, versionOf(connection));
    connection.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    if (!isReadOnly(error)) throw failureOf(path, error, "the schema");
  } finally {
    connection.close();
  }
};
