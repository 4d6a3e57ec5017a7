import { Observable, shareReplay } from "rxjs";
import type { ThreadId } from "../../machines/history/ids.ts";
import { isDeferrable } from "../../machines/thread/ledger.ts";
import { RepeatedInputError } from "../errors.ts";
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
}

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

/** The face of a resident thread. Any number of these may stand for the same thread. */
export const threadOf = (resident: Resident, deps: ThreadDependencies): Thread => {
  const { threadId } = resident;
  const { store, hub, deliver, freshId } = deps;
  const ledger = () => resident.snapshot.context;
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
      const waits = () => ledger().inbox.some(({ dedupId }) => dedupId === id);
      const awaited = awaitAnswer(updates$, { threadId, dedupId: id, waits });
      awaited.answer.catch(() => {});
      try {
        if (!(await send(text, { ...options, id }))) throw new RepeatedInputError(threadId, id);
        const answer = await awaited.answer;
        await slicePassed(resident, updates$);
        return answer;
      } finally {
        awaited.forget();
      }
    },
    interrupt: ({ id = freshId(), sender } = {}) =>
      deliver({ threadId, dedupId: id, input: { kind: "interrupt", ...(sender !== undefined && { sender }) } }),
    async atRest() {
      for (;;) {
        if (resident.state !== "running") await resident.settled();
        if (resident.state !== "running") return resident.state;
        await new Promise<void>((resolve) => {
          const stop = resident.onState(() => {
            stop();
            resolve();
          });
        });
      }
    },
    get state() {
      return resident.state;
    },
    state$: new Observable<Resident["state"]>((reader) => {
      reader.next(resident.state);
      return resident.onState((state) => reader.next(state));
    }).pipe(shareReplay({ bufferSize: 1, refCount: true })),
    view() {
      const { record, calls, subscriptions, inbox } = ledger();
      const deferred = resident.state === "awaitingActiveCall" ? inbox.filter(isDeferrable) : [];
      const { lastFailure, usage } = record;
      return { state: resident.state, lastFailure, usage, calls, subscriptions, deferred };
    },
    history: () => store.history(threadId as ThreadId),
    updates: () => readUpdates(updates$, deps.readerBuffer),
    updates$,
  };
};
