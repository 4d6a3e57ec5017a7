import { memoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreUnderTest } from "../../src/testing/store/requirement.ts";

/** A store that is right but for one thing. */
export interface WrongStore {
  readonly fault: string;
  readonly make: () => Store | StoreUnderTest;
  /** Part of the name of a requirement that must notice. */
  readonly noticedBy: string;
}

export const wrong = (fault: string, noticedBy: string, change: (right: Store) => Partial<Store>): WrongStore => ({
  fault,
  noticedBy,
  make: () => {
    const right = memoryStore();
    return { ...right, ...change(right) };
  },
});

export const wrongAfterReopening = (
  fault: string,
  noticedBy: string,
  change: (right: Store) => Partial<Store>,
): WrongStore => ({
  fault,
  noticedBy,
  make: () => {
    const store = memoryStore();
    return { store, reopen: async () => ({ ...store, ...change(store) }) };
  },
});
