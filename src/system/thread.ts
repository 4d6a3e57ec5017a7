import { defer, Observable, shareReplay } from "rxjs";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { ThreadState } from "../../machines/thread/commit.ts";
import { sourceOf } from "../../machines/thread/input.ts";
import { isDeferrable } from "../../machines/thread/ledger.ts";
import { RepeatedInputError, SystemStoppedError, TreeUsageError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { Resident } from "../thread/resident.ts";
import type { Update } from "../thread/update.ts";
import { viewOf } from "../thread/view.ts";
import { type SendOptions, textFor } from "../tool/text-for.ts";
import { awaitAnswer } from "./answer.ts";
import type { CompactionOutcome, Thread, ThreadView } from "./api.ts";
import { answerChoice, openChoices } from "./choices.ts";
import type { ThreadHandle } from "./handles.ts";
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
  /** Settled once a thread is in memory, or cannot be, when it is on its way there; undefined when it is not. */
  readonly loading: (threadId: ThreadId) => Promise<unknown> | undefined;
  readonly handle: (resident: Resident) => ThreadHandle;
  /** Any thread, loaded if need be. */
  readonly load: (threadId: ThreadId) => Promise<Resident | undefined>;
  /** Aborts when the system stops. */
  readonly signal: AbortSignal;
  /** Throws where nothing runs by itself, so that nothing is waited for in vain. Left out: it does. */
  readonly mustRun?: (what: string) => void;
}

/** The next change of state, the loss of the actor, or the end of the system. */
const nextState = (handle: ThreadHandle, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      for (const stop of stops) stop();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const stops = [handle.onState(done), handle.onLost(done)];
    if (signal.aborted) done();
    else signal.addEventListener("abort", done, { once: true });
  });

/**
 * What was accepted before the call counts: a thread that is on its way into memory for it is not at rest. Rejects when the
 * thread was running and cannot be loaded any more.
 */
const restOf = async (
  handle: ThreadHandle,
  { load, loading, signal }: Pick<ThreadDependencies, "load" | "loading" | "signal">,
): Promise<ThreadState> => {
  const { threadId } = handle.last;
  for (;;) {
    await loading(threadId);
    const thread = handle.last;
    if (thread.state !== "running") await thread.settled();
    if (handle.last !== thread || loading(threadId) !== undefined) continue;
    if (thread.state !== "running") return thread.state;
    if (!signal.aborted) await load(threadId);
    if (!signal.aborted && (handle.last !== thread || handle.last.state !== "running")) continue;
    await nextState(handle, signal);
    if (signal.aborted) throw new SystemStoppedError(`thread ${threadId} was to come to rest`);
  }
};

/**
 * A thread at rest can be woken by one below it, so the whole tree is gone through until nothing has moved on the way. What
 * threads tell each other is accepted with the commit that says it: nothing is in the air in between.
 */
const treeAtRest = async (root: ThreadId, deps: ThreadDependencies): Promise<void> => {
  const walk = async (threadId: ThreadId): Promise<readonly string[]> => {
    const thread = await deps.load(threadId);
    if (!thread) return [];
    const handle = deps.handle(thread);
    await restOf(handle, deps);
    const { children, version } = handle.last.snapshot.context;
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
const slicePassed = (handle: ThreadHandle, updates$: Observable<Update>): Promise<void> =>
  new Promise((resolve) => {
    if (handle.last.state !== "running") return resolve();
    const done = () => {
      stop();
      subscription.unsubscribe();
      resolve();
    };
    const stop = handle.onState(done);
    const subscription = updates$.subscribe({
      next: ({ type }) => type === "round.started" && done(),
      complete: done,
    });
  });

/**
 * What the next compaction comes to; one that was under way answers who asked meanwhile too. `id`: of who asks, which is
 * discarded where the thread closes first.
 */
const outcomeOf = (updates$: Observable<Update>, id: string) => {
  const { promise: outcome, resolve, reject } = Promise.withResolvers<CompactionOutcome>();
  outcome.catch(() => {});
  const subscription = updates$.subscribe({
    next: (update) => {
      if (update.type === "history.compacted") resolve(update.outcome);
      if (update.type === "input.discarded" && update.kind === "compact" && update.dedupId === id) resolve("given up");
    },
    complete: () => reject(new SystemStoppedError("a conversation was summarised")),
  });
  return { outcome, forget: () => subscription.unsubscribe() };
};

/** The face of a thread. Any number of these may stand for the same one, in memory or not. */
export const threadOf = (found: Resident, deps: ThreadDependencies): Thread => {
  const { threadId } = found;
  const handle = deps.handle(found);
  const { store, hub, deliver, freshId, signal } = deps;
  const resident = (): Resident => handle.last;
  const ledger = () => resident().snapshot.context;
  const updates$ = hub.of(threadId);
  const treeUpdates$ = defer(() => treeUpdates(resident(), deps));

  const send = (text: string, { id = freshId(), ...options }: SendOptions = {}) =>
    deliver(textFor(threadId, text, { id, ...options }));

  const view = (): ThreadView => {
    const { record, calls, subscriptions, inbox, opening, children } = ledger();
    const { state } = resident();
    const deferred = state === "awaitingActiveCall" ? inbox.filter(isDeferrable) : [];
    const { lastFailure, retry, usage, halted, quarantined } = record;
    return { state, lastFailure, retry, usage, calls, subscriptions, opening, children, halted, quarantined, deferred };
  };

  return {
    id: threadId,
    send,
    async ask(text, options = {}) {
      deps.mustRun?.(`thread ${threadId} was asked`);
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
        await slicePassed(handle, updates$);
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
    release: ({ id = freshId(), sender } = {}) =>
      deliver({ threadId, dedupId: id, input: { kind: "release", ...(sender !== undefined && { sender }) } }),
    async compact({ id = freshId(), sender } = {}) {
      deps.mustRun?.(`the summary of thread ${threadId} was waited for`);
      const over = outcomeOf(updates$, id);
      try {
        const input = { kind: "compact", ...(sender !== undefined && { sender }) };
        if (!(await deliver({ threadId, dedupId: id, input }))) throw new RepeatedInputError(threadId, id);
        return await over.outcome;
      } finally {
        over.forget();
      }
    },
    choices: (options) => openChoices(threadId, deps, options),
    answer: (choiceId, choice, options) => answerChoice(threadId, deps, choiceId, choice, options),
    async atRest({ tree = false } = {}) {
      deps.mustRun?.(`it was waited for thread ${threadId}`);
      const state = await restOf(handle, deps);
      if (!tree) return state;
      await treeAtRest(threadId, deps);
      return resident().state;
    },
    get state() {
      return resident().state;
    },
    state$: new Observable<ThreadState>((reader) => {
      reader.next(resident().state);
      const end = () => reader.complete();
      if (signal.aborted) return end();
      signal.addEventListener("abort", end, { once: true });
      const stop = handle.onState((state) => reader.next(state));
      return () => {
        stop();
        signal.removeEventListener("abort", end);
      };
    }).pipe(shareReplay({ bufferSize: 1, refCount: true })),
    view,
    async usage({ tree = false } = {}) {
      if (!tree) return ledger().record.usage;
      if (!store.treeUsage) throw new TreeUsageError();
      return store.treeUsage(ledger().opening?.stack[0] ?? threadId);
    },
    reload: () => resident().reload(),
    snapshot: () => snapshotOf(resident, view, store, threadId),
    history: ({ inherited = false } = {}) =>
      inherited ? viewOf(store, threadId, ledger().opening) : store.history(threadId),
    updates: ({ tree = false } = {}) => readUpdates(tree ? treeUpdates$ : updates$, deps.readerBuffer),
    updates$,
    treeUpdates$,
  };
};
