import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../../logger.ts";
import { sqliteStore } from "../../store/sqlite.ts";
import type { Stores } from "./stores.ts";

/** A file of its own for each story; every process has a handle, and a crash closes none. */
export const inSqlite = (): Stores => {
  const folder = mkdtempSync(join(tmpdir(), "wakeful-simulation-"));
  const file = join(folder, "agents.db");
  return {
    // A power cut is not part of the story.
    open: () => sqliteStore(file, { synchronous: "normal", logger: silentLogger }),
    close: (store) => store.close(),
    end: async () => rmSync(folder, { recursive: true, force: true }),
  };
};
