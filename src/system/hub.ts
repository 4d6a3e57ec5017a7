import { EMPTY, Observable, Subject } from "rxjs";
import type { Update } from "../thread/update.ts";

/** Passes updates to who watches. Keeps nothing: what a late reader missed is in the feed. */
export interface UpdateHub {
  /** Whether anybody watches the thread: what nobody sees need not be put together. */
  watched(threadId: string): boolean;
  publish(update: Update): void;
  /** Says that facts became durable, of whichever thread. */
  committed(): void;
  /** Calls back once, at the next `committed`. Returns how to stop waiting. */
  onceCommitted(listener: () => void): () => void;
  /** Hot: what is published while subscribed. Completes when the hub closes. */
  of(threadId: string): Observable<Update>;
  close(): void;
}

export const createHub = (): UpdateHub => {
  const waiting = new Set<() => void>();
  const watched = new Map<string, Subject<Update>>();
  let closed = false;
  return {
    watched: (threadId) => watched.has(threadId),
    publish: (update) => watched.get(update.threadId)?.next(update),
    committed() {
      if (waiting.size === 0) return;
      for (const listener of [...waiting]) {
        waiting.delete(listener);
        listener();
      }
    },
    onceCommitted(listener) {
      waiting.add(listener);
      return () => waiting.delete(listener);
    },
    of: (threadId) =>
      new Observable<Update>((reader) => {
        if (closed) return EMPTY.subscribe(reader);
        const subject = watched.get(threadId) ?? new Subject<Update>();
        watched.set(threadId, subject);
        const subscription = subject.subscribe(reader);
        return () => {
          subscription.unsubscribe();
          if (!subject.observed && watched.get(threadId) === subject) watched.delete(threadId);
        };
      }),
    close() {
      closed = true;
      for (const subject of watched.values()) subject.complete();
      watched.clear();
    },
  };
};
