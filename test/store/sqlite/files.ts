import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

let folder: string | undefined;
let files = 0;

/** A path in a folder of this test file's own, where nothing is yet. The folder goes when the tests are done. */
export const freshFile = (name = "store.db"): string => {
  folder ??= mkdtempSync(join(tmpdir(), "wakeful-sqlite-"));
  return join(folder, `${++files}-${name}`);
};

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});
