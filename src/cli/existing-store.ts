import { resolve } from "node:path";
import { StoreFileError } from "../errors.ts";
import { examine } from "../store/sqlite/examine.ts";
import { sqliteStore } from "../store/sqlite/sqlite-store.ts";
import type { SharedStore } from "../store/store.ts";

/**
 * Opens the database in a file that is there already, hands it to `use`, and closes it. No lease is taken: another process
 * may run it meanwhile. Throws StoreFileError and StoreCorruptError for a file that is missing, empty or unusable, which
 * is then as it was.
 */
export const withStore = async <T>(name: string, use: (store: SharedStore) => Promise<T>): Promise<T> => {
  const file = resolve(name);
  if (examine(file) === "new")
    throw new StoreFileError(
      file,
      "STORE_PATH",
      "is not there, or empty. Name the file in which a system keeps its threads.",
    );
  const store = sqliteStore(file);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
};
