import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs `work` with a way to name fresh files in a folder of their own, which is gone afterwards. */
export const inFolder = async <T>(work: (file: () => string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), "wakeful-bench-"));
  let files = 0;
  try {
    return await work(() => join(folder, `${++files}.db`));
  } finally {
    rmSync(folder, { recursive: true });
  }
};
