import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { silentLogger } from "../../../src/logger.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";

let folder: string | undefined;
let files = 0;

/** A path in a folder of this test file's own, where nothing is yet. The folder goes when the tests are done. */
export const freshFile = (name = "store.db"): string => {
  folder ??= mkdtempSync(join(tmpdir(), "wakeful-sqlite-"));
  return join(folder, `${++files}-${name}`);
};

/** Waits for no disk: what is tested needs no power cut. */
export const quick = { synchronous: "normal", logger: silentLogger } as const;

/** What a process that dies leaves of a store: the file, and what was committed in the -wal file beside it. */
export const copyOf = (file: string): string => {
  const copy = freshFile();
  for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return copy;
};

let empty: string | undefined;

/** The file of a store without threads. */
export const emptyStore = async (): Promise<string> => {
  if (empty === undefined) {
    empty = freshFile();
    await sqliteStore(empty, quick).close();
  }
  return copyOf(empty);
};

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});
