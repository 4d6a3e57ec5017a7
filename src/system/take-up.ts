import type { ThreadId } from "../../machines/history/ids.ts";
import type { Store } from "../store/store.ts";

/** Threads of which the records are read at the same time when a system starts. */
const atOnce = 32;
/** Threads that are listed at a time. */
const page = 500;

interface TakeUp {
  readonly store: Pick<Store, "threads">;
  /** Brings a thread into memory. A failure is told by itself, and holds up no other. */
  readonly begin: (threadId: ThreadId) => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** The threads with work, by id, a page at a time. What is done meanwhile does not shift the pages. */
async function* withWork(store: Pick<Store, "threads">): AsyncGenerator<ThreadId> {
  for (let after: ThreadId | undefined; ; ) {
    const threads = await store.threads({ withWork: true, limit: page, ...(after !== undefined && { after }) });
    for (const { threadId } of threads) yield threadId;
    after = threads.at(-1)?.threadId;
    if (threads.length < page) return;
  }
}

/**
 * Takes up what a store holds that was left in the middle, a few threads at a time: ten thousand of them fill neither the
 * memory nor the store's queue. Resolves when the first page is listed and the first few are on their way, so that whoever
 * starts a system hears of a store that cannot be read; the rest follows.
 */
export const takeUp = async ({ store, begin, signal }: TakeUp): Promise<void> => {
  const threads = withWork(store);
  const next = async (): Promise<boolean> => {
    const { done, value } = await threads.next();
    if (done || signal.aborted) return false;
    await begin(value);
    return true;
  };
  const work = async (first: Promise<boolean>): Promise<void> => {
    for (let goesOn = await first; goesOn; ) goesOn = await next();
  };
  const first = await threads.next();
  if (first.done) return;
  // Failures of later pages are the store's, which is asked again by whoever needs it.
  void Promise.allSettled([
    work(begin(first.value).then(() => true)),
    ...Array.from({ length: atOnce - 1 }, () => work(next())),
  ]);
};
