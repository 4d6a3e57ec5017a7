import { defer, Observable, shareReplay } from "rxjs";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { ThreadState } from "../../machines/thread/commit.ts";
import { sourceOf } from "../../machines/thread/input.ts";
import { isDeferrable } from "../../machines/thread/ledger.ts";
import { RepeatedInputError, SystemStoppedError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { Resident } from "../thread/resident.ts";
import type { Update } from "../thread/update.ts";
import { viewOf } from "../thread/view.ts";
import { awaitAnswer } from "./answer.ts";
import type { SendOptions, Thread, ThreadView } from "./api.ts";
import { answerChoice, openChoices } from "./choices.ts";
import type { UpdateHub } from "./hub.ts";
import { readUpdates } from "./reader.ts";
import { snapshotOf } from "./snapshot.ts";
import { treeUpdates } from "./tree-updates.ts";

export interface ThreadDependencies {
  readonly store: Store;
  readonly hub: UpdateHub;
  readonly readerBuffer: number;
  readonly freshId: () => string;
  readonly deliver: (envelope: unknown) => Promise<boolean>;
  /** The thread in memory; undefined while it is loaded anew. */
  readonly resident: () => Resident | undefined;
  /** Any thread, loaded if need be. */
  readonly load: (threadId: ThreadId) => Promise<Resident | undefined>;
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

const restOf = async (resident: () => Resident, threadId: ThreadId, signal: AbortSignal): Promise<ThreadState> => {
  for (;;) {
    const thread = resident();
    if (thread.state !== "running") await thread.settled();
    if (thread.state !== "running") return thread.state;
    await nextState(thread, signal);
    if (signal.aborted) throw new SystemStoppedError(`thread ${threadId} was to come to rest`);
  }
};

/**
 * A thread at rest can be woken by one below it, so the whole tree is gone through until nothing has moved on the way. What
 * threads tell each other is accepted with the commit that says it: nothing is in the air in between.
 */
const treeAtRest = async (
  root: ThreadId,
  load: (threadId: ThreadId) => Promise<Resident | undefined>,
  signal: AbortSignal,
): Promise<void> => {
  const walk = async (threadId: ThreadId): Promise<readonly string[]> => {
    const thread = await load(threadId);
    if (!thread) return [];
    await restOf(() => thread, threadId, signal);
    const { children, version } = thread.snapshot.context;
    const below = await Promise.all(children.map((child) => walk(child.threadId)));
    return [`${threadId} ${version}`, ...below.flat()];
  };
  for (let before = ""; ; ) {
    const now = (await walk(root)).join("\n");
    if (now === before) return;
    before = now;
  }
};

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

/** The face of a thread. Any number of these may stand for the same one. `last`: the thread as it was in memory last. */
export const threadOf = (last: Resident, deps: ThreadDependencies): Thread => {
  const { threadId } = last;
  const { store, hub, deliver, freshId, signal } = deps;
  const resident = (): Resident => {
    last = deps.resident() ?? last;
    return last;
  };
  const ledger = () => resident().snapshot.context;
  const updates$ = hub.of(threadId);
  const treeUpdates$ = defer(() => treeUpdates(resident(), deps));

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

  const view = (): ThreadView => {
    const { record, calls, subscriptions, inbox, opening, children } = ledger();
    const { state } = resident();
    const deferred = state === "awaitingActiveCall" ? inbox.filter(isDeferrable) : [];
    const { lastFailure, retry, usage, halted } = record;
    return { state, lastFailure, retry, usage, calls, subscriptions, opening, children, halted, deferred };
  };

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
    halt: ({ id = freshId(), sender } = {}) =>
      deliver({ threadId, dedupId: id, input: { kind: "halt", ...(sender !== undefined && { sender }) } }),
    close: ({ id = freshId(), sender } = {}) =>
      deliver({ threadId, dedupId: id, input: { kind: "close", ...(sender !== undefined && { sender }) } }),
    choices: (options) => openChoices(threadId, deps, options),
    answer: (choiceId, choice, options) => answerChoice(threadId, deps, choiceId, choice, options),
    async atRest({ tree = false } = {}) {
      const state = await restOf(resident, threadId, signal);
      if (!tree) return state;
      await treeAtRest(threadId, deps.load, signal);
      return resident().state;
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
    view,
    reload: () => resident().reload(),
    snapshot: () => snapshotOf(resident, view, store, threadId),
    history: ({ inherited = false } = {}) =>
      inherited ? viewOf(store, threadId, ledger().opening) : store.history(threadId),
    updates: ({ tree = false } = {}) => readUpdates(tree ? treeUpdates$ : updates$, deps.readerBuffer),
    updates$,
    treeUpdates$,
  };
};
