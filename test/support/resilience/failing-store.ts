import type { Store } from "../../../src/store/store.ts";

/** A call of a store's method, in the order of calls, from 1. */
export interface StoreCall {
  readonly method: string;
  readonly count: number;
  /** What the method was given. */
  readonly given: readonly unknown[];
}

/**
 * Whether a call fails: `before` anything of it is done, or `after`, when it is durable and nobody is told. Undefined: it
 * does not.
 */
export type Failing = (call: StoreCall) => "before" | "after" | undefined;

export interface FailingStore {
  readonly store: Store;
  /** Every call so far. */
  readonly calls: readonly StoreCall[];
  /** From the next call on. */
  fail(failing: Failing): void;
}

export const failure = (): Error => new Error("the disk is away");

/** The store with every method that can fail. What it keeps is kept by `kept`, so that another system finds it there. */
export const failingStore = (kept: Store, first: Failing = () => undefined): FailingStore => {
  const calls: StoreCall[] = [];
  let failing = first;
  const methods = Object.entries(kept).map(([method, operation]) => [
    method,
    async (...given: unknown[]) => {
      const call: StoreCall = { method, count: calls.length + 1, given };
      calls.push(call);
      const how = failing(call);
      if (how === "before") throw failure();
      const answer = await (operation as (...all: unknown[]) => Promise<unknown>).apply(kept, given);
      if (how === "after") throw failure();
      return answer;
    },
  ]);
  return {
    store: Object.fromEntries(methods) as Store,
    calls,
    fail(next) {
      failing = next;
    },
  };
};

/** The calls of these numbers fail. */
export const failsAt =
  (how: "before" | "after", ...counts: readonly number[]): Failing =>
  ({ count }) =>
    counts.includes(count) ? how : undefined;
