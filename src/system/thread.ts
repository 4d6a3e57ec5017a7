import { Observable, shareReplay } from "rxjs";
import type { ThreadId } from "../../machines/history/ids.ts";
import { sourceOf } from "../../machines/thread/input.ts";
import { isDeferrable } from "../../machines/thread/ledger.ts";
import { RepeatedInputError, SystemStoppedError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { Resident } from "../thread/resident.ts";
import type { Update } from "../thread/update.ts";
import { awaitAnswer } from "./answer.ts";
import type { SendOptions, Thread } from "./api.ts";
import type { UpdateHub } from "./hub.ts";
import { readUpdates } from "./reader.ts";

export interface ThreadDependencies {
  readonly store: Store;
  readonly hub: UpdateHub;
  readonly readerBuffer: number;
  readonly freshId: () => string;
  readonly deliver: (envelope: unknown) => Promise<boolean>;
  /** The thread in memory; undefined while it is loaded anew. */
  readonly resident: () => Resident | undefined;
  /** Aborts when the system stops. */
  readonly signal: AbortSignal;
}

/** The next change of state, or the end of the system. */
const nextState = (thread: Resident, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stop();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const stop = thread.onState(done);
    if (signal.aborted) done();
    else signal.addEventListener("abort", done, { once: true });
  });

/** The commit that ends a slice is told a breath before the thread rests, or begins the next: waits for that. */
const slicePassed = (resident: Resident, updates$: Observable<Update>): Promise<void> =>
  new Promise((resolve) => {
    if (resident.state !== "running") return resolve();
    const done = () => {
      stop();
      subscription.unsubscribe();
      resolve();
    };
    const stop = resident.onState(done);
    const subscription = updates$.subscribe({
      next: ({ type }) => type === "round.started" && done(),
      complete: done,
    });
  });

/** The face of a thread. Any number of these may stand for the same one. */
export const threadOf = (threadId: ThreadId, deps: ThreadDependencies): Thread => {
  const { store, hub, deliver, freshId, signal } = deps;
  /** The thread as it is in memory now, or was last. */
  let last = deps.resident();
  const resident = (): Resident => {
    last = deps.resident() ?? last;
    if (!last) throw new SystemStoppedError(`thread ${threadId} was looked at`);
    return last;
  };
  const ledger = () => resident().snapshot.context;
  const updates$ = hub.of(threadId);

  const send = (text: string, { id = freshId(), metadata, whileBusy, sender }: SendOptions = {}) =>
    deliver({
      threadId,
      dedupId: id,
      input: {
        kind: "text",
        text,
        ...(sender !== undefined && { sender }),
        ...(whileBusy && { whileBusy }),
        ...(metadata && { metadata }),
      },
    });

  return {
    id: threadId,
    send,
    async ask(text, options = {}) {
      const id = options.id ?? freshId();
      const { sender = "user" } = options;
      const waits = () =>
        ledger().inbox.some(
          ({ dedupId, input }) => dedupId === id && sourceOf(input) === sender && input.kind === "text",
        );
      const awaited = awaitAnswer(updates$, { threadId, dedupId: id, sender, waits });
      awaited.answer.catch(() => {});
      try {
        if (!(await send(text, { ...options, id }))) throw new RepeatedInputError(threadId, id);
        const answer = await awaited.answer;
        await slicePassed(resident(), updates$);
        return answer;
      } finally {
        awaited.forget();
      }
    },
    interrupt: ({ id = freshId(), sender } = {}) =>
      deliver({ threadId, dedupId: id, input: { kind: "interrupt", ...(sender !== undefined && { sender }) } }),
    async atRest() {
      for (;;) {
        const thread = resident();
        if (thread.state !== "running") await thread.settled();
        if (thread.state !== "running") return thread.state;
        await nextState(thread, signal);
        if (signal.aborted) throw new SystemStoppedError(`thread ${threadId} was to come to rest`);
      }
    },
    get state() {
      return resident().state;
    },
    state$: new Observable<Resident["state"]>((reader) => {
      const thread = resident();
      reader.next(thread.state);
      const end = () => reader.complete();
      if (signal.aborted) return end();
      signal.addEventListener("abort", end, { once: true });
      const stop = thread.onState((state) => reader.next(state));
      return () => {
        stop();
        signal.removeEventListener("abort", end);
      };
    }).pipe(shareReplay({ bufferSize: 1, refCount: true })),
    view() {
      const { record, calls, subscriptions, inbox } = ledger();
      const { state } = resident();
      const deferred = state === "awaitingActiveCall" ? inbox.filter(isDeferrable) : [];
      const { lastFailure, retry, usage } = record;
      return { state, lastFailure, retry, usage, calls, subscriptions, deferred };
    },
    history: () => store.history(threadId),
    updates: () => readUpdates(updates$, deps.readerBuffer),
    updates$,
  };
};
