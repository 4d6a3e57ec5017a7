import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StoreCorruptError, StoreFileError } from "../../errors.ts";
import { failureOf, isCorrupt, isForeign, isReadOnly } from "./failures.ts";
import { applicationId, applicationIdOf, migrations, versionOf } from "./schema.ts";

/**
 * Says what is at a path before anything is done there: `new` (nothing, or an empty file), or `ours`. For everything else
 * it throws, with nothing changed: StoreFileError, or StoreCorruptError when the file is damaged so that it cannot be read.
 *
 * The file is read through SQLite alone: a descriptor of our own, once closed, would take away the locks that another store
 * of this process has on the file.
 */
export const examine = (path: string): "new" | "ours" => {
  const stats = statsOf(path);
  checkFolder(path);
  if (stats) checkFile(path, stats);
  if (!stats || stats.size === 0) {
    if (sizeOf(`${path}-wal`) > 0)
      throw new StoreCorruptError(
        path,
        { what: "the file itself, which is empty or gone while its -wal file is still there," },
        "the -wal file alone is no database; remove it only if nothing in it matters",
      );
    return "new";
  }
  // Cut short is also what a file looks like while another process writes it; then a file beside it says so.
  if (peek(path) === "damaged" && !hasUnfinished(path) && peek(path) === "damaged")
    throw new StoreCorruptError(path, { what: "the file" }, "it is shorter than it was, or its first page is damaged");
  if (sizeOf(`${path}-wal`) > 0) checkInside(path);
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

const sizeOf = (path: string): number => statsOf(path)?.size ?? 0;

const hasUnfinished = (path: string): boolean => sizeOf(`${path}-wal`) > 0 || sizeOf(`${path}-journal`) > 0;

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

const checkFile = (path: string, stats: Stats): void => {
  if (!stats.isFile())
    throw new StoreFileError(
      path,
      "STORE_PATH",
      `is ${stats.isDirectory() ? "a folder" : "no regular file"}. Name a file.`,
    );
  if (!may(path, constants.R_OK))
    throw new StoreFileError(
      path,
      "STORE_PERMISSION",
      "cannot be read by this user. Give it read and write permission.",
    );
  if (!may(path, constants.W_OK))
    throw new StoreFileError(path, "STORE_READ_ONLY", "can only be read by this user. Give it write permission.");
};

const checkVersion = (path: string, version: number): void => {
  if (version > migrations.length)
    throw new StoreFileError(
      path,
      "STORE_NEWER",
      `has version ${version} of the schema, and this version of wakeful reads up to ${migrations.length}. Update wakeful.`,
    );
};

const foreign = (path: string, options?: ErrorOptions) =>
  new StoreFileError(
    path,
    "STORE_FOREIGN",
    "is another program's file, or its first bytes are damaged. Name another file, or restore this one from a backup.",
    options,
  );

/** As long as the header says that the file is. */
const bytesOf = (connection: DatabaseSync): number => {
  const sizes = connection.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size");
  return (sizes.get() as { bytes: number }).bytes;
};

/**
 * Looks at the file alone, takes no locks and leaves nothing beside it: strangers are told apart before SQLite gets to
 * write anything on their account.
 */
const peek = (path: string): "ours" | "damaged" => {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  const connection = new DatabaseSync(url, { open: false, readOnly: true });
  try {
    connection.open();
    if (applicationIdOf(connection) !== applicationId) throw foreign(path);
    checkVersion(path, versionOf(connection));
    // SQLite itself takes a last page for whole of which a part is there.
    return sizeOf(path) < bytesOf(connection) ? "damaged" : "ours";
  } catch (error) {
    if (isCorrupt(error)) return "damaged";
    if (!isForeign(error)) throw failureOf(path, error, "the header");
    throw foreign(path, { cause: error });
  } finally {
    if (connection.isOpen) connection.close();
  }
};

/**
 * Reads the schema as it is with the left-over -wal file, which can hold a newer version than the file. The connection
 * cannot write, so closing it moves nothing from the -wal file into a file that is then refused.
 */
const checkInside = (path: string): void => {
  const connection = new DatabaseSync(path, { open: false, readOnly: true, timeout: 1_000 });
  try {
    connection.open();
    checkVersion(path, versionOf(connection));
    connection.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    if (!isReadOnly(error)) throw failureOf(path, error, "the schema");
  } finally {
    if (connection.isOpen) connection.close();
  }
};
