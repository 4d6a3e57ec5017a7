import type { ThreadId } from "../../machines/history/ids.ts";
import type { Fact } from "../../machines/thread/facts.ts";
import type { WaitingInput } from "../../machines/thread/input.ts";
import type { Store } from "../store/store.ts";

/** An input that became durable; the first of its facts is at feed position `feed`. */
export interface AcceptedInput {
  readonly waiting: WaitingInput;
  readonly feed: number;
  readonly facts: readonly Fact[];
  /** What waits right in front of it, as the store says. */
  readonly behind?: number | undefined;
}

/** What a thread is told of an input. */
export type Notice = Pick<AcceptedInput, "waiting" | "behind">;

/**
 * Told of what one accept call took in for one thread, in the order of acceptance. Nothing: the store failed, and may have
 * taken something in all the same; whoever runs the thread reads its inbox.
 */
export type AcceptedListener = (threadId: ThreadId, accepted: readonly AcceptedInput[]) => void;

const boards = new WeakMap<Store, Set<AcceptedListener>>();

/** Hears of everything that any sender of this process gets accepted by `store`, at once. Returns how to stop. */
export const onAccepted = (store: Store, listener: AcceptedListener): (() => void) => {
  const board = boards.get(store) ?? new Set();
  boards.set(store, board.add(listener));
  return () => board.delete(listener);
};

export const tellAccepted = (store: Store, ...accepted: Parameters<AcceptedListener>): void => {
  for (const listener of boards.get(store) ?? []) listener(...accepted);
};
