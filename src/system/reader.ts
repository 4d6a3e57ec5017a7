import type { Observable } from "rxjs";
import type { Update } from "../thread/update.ts";

/**
 * A stream as an AsyncIterable with a bounded buffer. A reader that falls behind by more than `limit` loses what waits
 * and gets one `gap` in its place, with the feed position to read on from; live updates of that time are gone.
 * Listening begins with the first `next()`; leaving the loop ends it.
 */
export const readUpdates = (source: Observable<Update>, limit: number): AsyncIterable<Update> => ({
  async *[Symbol.asyncIterator]() {
    let waiting: Update[] = [];
    let ended = false;
    /** Where to read on from: the last fact that was given, or else right before the first that was dropped. */
    let seen: number | undefined;
    let wake: (() => void) | undefined;
    const subscription = source.subscribe({
      next(update) {
        if (waiting.length >= limit) {
          const { threadId, at } = update;
          const first = waiting.find((dropped) => "feed" in dropped || dropped.type === "gap");
          const before = first && ("feed" in first ? first.feed - 1 : first.type === "gap" ? first.after : undefined);
          waiting = [{ type: "gap", threadId, at, after: seen ?? before ?? 0 }];
        }
        waiting.push(update);
        wake?.();
      },
      complete() {
        ended = true;
        wake?.();
      },
    });
    try {
      for (;;) {
        const update = waiting.shift();
        if (update) {
          if ("feed" in update) seen = update.feed;
          yield update;
        } else if (ended) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      subscription.unsubscribe();
    }
  },
});
