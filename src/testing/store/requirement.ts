import type { Store } from "../../store/store.ts";

/** A store to be held to its contract: empty, and used by nobody else. */
export interface StoreUnderTest {
  readonly store: Store;
  /**
   * Ends what `store` is and opens the same data again, as after a restart of the process; resolves to the store to go on
   * with. Without it the requirements about reopening are checked on `store` itself, and hold it to little.
   */
  readonly reopen?: () => Promise<Store>;
}

/** Makes an empty store each time it is called; the suite closes it. */
export type MakeStore = () => Store | StoreUnderTest | Promise<Store | StoreUnderTest>;

/** A number of `Store` (S) or of the design (R). */
export type Rule = `S${number}` | `R${number}`;

/** One thing that every store does. */
export interface StoreRequirement {
  /** A sentence about a store, unique in the suite. */
  readonly name: string;
  /** The rule it guards. */
  readonly rule: Rule;
  /** Resolves when a fresh store does it; rejects with an AssertionError that says what was seen instead. */
  check(): Promise<void>;
}

/** What a requirement works with. */
export interface Bench {
  readonly store: Store;
  readonly reopen: () => Promise<Store>;
}

/** A requirement before it is bound to a store; `check` gets a fresh one, or makes several with `fresh`. */
export interface Draft {
  readonly name: string;
  readonly rule: Rule;
  check(bench: Bench, fresh: () => Promise<Bench>): Promise<void>;
}

export const requirement = (rule: Rule, name: string, check: Draft["check"]): Draft => ({ rule, name, check });
