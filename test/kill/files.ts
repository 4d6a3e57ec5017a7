import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;
let files = 0;

/** A process that is killed leaves what it wrote, on a disk or not; where there is memory to write to, nothing waits. */
const fast = "/dev/shm";

const ownFolder = (): string => {
  folder ??= mkdtempSync(join(existsSync(fast) ? fast : tmpdir(), "wakeful-kill-"));
  return folder;
};

/** A path in a folder of this test file's own, where nothing is yet. */
export const freshFile = (name: string): string => join(ownFolder(), `${++files}-${name}`);

/** Where processes keep what they compiled. */
export const cacheFolder = (): string => join(ownFolder(), "compiled");

export const removeFiles = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
};
