import type { Observable } from "rxjs";
import type { Update } from "../thread/update.ts";

/**
 * A stream as an AsyncIterable with a bounded buffer. A reader that falls behind by more than `limit` loses what waits
 * and gets one `gap` in its place, with the feed position to read on from; live updates of that time are gone.
 * Listening begins with the first `next()`; leaving the loop ends it, also while it waits.
 */
export const readUpdates = (source: Observable<Update>, limit: number): AsyncIterable<Update> => ({
  [Symbol.asyncIterator]: () => {
    let waiting: Update[] = [];
    let ended = false;
    /** The last fact that was given. */
    let seen: number | undefined;
    /** Calls of `next` that wait for an update. */
    const asking: ((result: IteratorResult<Update>) => void)[] = [];
    const over: IteratorResult<Update> = { done: true, value: undefined };

    const give = (): void => {
      while (asking.length > 0 && (waiting.length > 0 || ended)) {
        const update = waiting.shift();
        if (update && "feed" in update) seen = update.feed;
        asking.shift()?.(update ? { done: false, value: update } : over);
      }
    };
    const end = (): void => {
      ended = true;
      give();
    };
    const add = (update: Update): void => {
      if (waiting.length >= limit) {
        const { threadId, at } = update;
        waiting = [{ type: "gap", threadId, at, after: seen ?? beforeFirst(waiting) }];
      }
      waiting.push(update);
      give();
    };
    let listening: { unsubscribe(): void } | undefined;

    return {
      next() {
        listening ??= source.subscribe({ next: add, complete: end });
        return new Promise((resolve) => {
          asking.push(resolve);
          give();
        });
      },
      async return() {
        listening?.unsubscribe();
        waiting = [];
        end();
        return over;
      },
    };
  },
});

/** The feed position right before the first fact that is dropped; 0 when none of them is a fact. */
const beforeFirst = (dropped: readonly Update[]): number => {
  for (const update of dropped) {
    if ("feed" in update) return update.feed - 1;
    if (update.type === "gap") return update.after;
  }
  return 0;
};
