import { memoryStore } from "../../store/memory/memory-store.ts";
import type { Store } from "../../store/store.ts";

/** Where the threads of one story are kept: what a process opens, the one after it finds. */
export interface Stores {
  /** A handle for one process. */
  readonly open: () => Store;
  readonly close: (store: Store) => Promise<void>;
  /** Nothing is left of it. */
  readonly end: () => Promise<void>;
}

export const inMemory = (): Stores => {
  const store = memoryStore();
  return { open: () => store, close: async () => {}, end: async () => {} };
};
