import { createActor, fromPromise, type SnapshotFrom, waitFor } from "xstate";
import type { ThreadId } from "../../machines/history/ids.ts";
import { type SystemEvent, systemMachine } from "../../machines/system/machine.ts";
import type { FoundPage } from "../../machines/system/roster.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { Store } from "../store/store.ts";
import { persist } from "../thread/persist.ts";

/** Threads whose records are read at the same time when a system starts. */
const atOnce = 32;
/** Threads that may have killed the process and are tried at the same time. */
const suspectsAtOnce = 16;
/** Threads that are listed at a time. */
const page = 500;

/** Watches over the threads of a system: takes up what the last life left, and decides about those that fail. */
export interface Supervisor {
  /**
   * Takes up what the store holds that was left in the middle. Resolves when the first page is listed and the first few are
   * on their way; the rest follows. Rejects when the store cannot be read.
   */
  start(): Promise<void>;
  /** The thread's actor ended in an error. */
  failed(threadId: ThreadId): void;
  /** What the store has of the thread cannot be read. */
  unreadable(threadId: ThreadId, problem: string): void;
  rested(threadId: ThreadId): void;
  /** It is left alone in this life, until a person calls for it. */
  isAside(threadId: ThreadId): boolean;
  /** A person wrote to the thread, or released it. */
  called(threadId: ThreadId): void;
  /** Resolves when everything under way has come to its end, or the time for that is over. A second call waits for the same. */
  stop(): Promise<void>;
}

export interface SupervisorOptions {
  readonly store: Pick<Store, "threads">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: { readonly restarts: number };
  /** Brings a thread into memory. A failure is told by itself, and holds up no other. */
  readonly begin: (threadId: ThreadId) => Promise<unknown>;
  /** Nothing is begun for the thread any more. */
  readonly abandon: (threadId: ThreadId, problem: string) => void;
  /** Accepts and begins nothing more, and brings what is under way to its end. */
  readonly drain: () => Promise<void>;
  readonly signal: AbortSignal;
}

const hasBegun = ({ value }: SnapshotFrom<typeof systemMachine>): boolean => value !== "starting";

/** The system machine with its effects. */
export const createSupervisor = (options: SupervisorOptions): Supervisor => {
  const { store, clock, logger, limits, begin, abandon, drain, signal } = options;

  const list = async (after: ThreadId | null, isFirst: boolean): Promise<FoundPage> => {
    const read = () => store.threads({ withWork: true, limit: page, ...(after !== null && { after }) });
    const found = await (isFirst ? read() : persist("the list of threads with work", read, options));
    return {
      threads: found.map(({ threadId, restarts = 0 }) => ({ threadId, restarts })),
      last: found.length < page,
    };
  };

  const actor = createActor(
    systemMachine.provide({
      actors: {
        list: fromPromise(({ input: { after } }) => list(after, after === null)),
        drain: fromPromise(drain),
      },
      actions: {
        begin(_, { threadId, wait }: { threadId: ThreadId; wait: number }) {
          const go = () => {
            if (signal.aborted) return;
            void begin(threadId).finally(() => tell({ type: "thread.arrived", threadId }));
          };
          if (wait === 0) go();
          else clock.setTimeout(go, wait);
        },
        report(_, { threadId, problem }: { threadId: ThreadId; problem: string }) {
          logger.error(
            { threadId, problem },
            "the thread is left alone; write to it, or release it, to have it tried again",
          );
          abandon(threadId, problem);
        },
      },
    }),
    { input: { atOnce, suspectsAtOnce, restarts: limits.restarts }, clock: clock as never },
  );
  /** A system that has stopped is told nothing any more. */
  const tell = (event: SystemEvent): void => {
    if (actor.getSnapshot().status === "active") actor.send(event);
  };
  const roster = () => actor.getSnapshot().context;

  return {
    async start() {
      actor.start();
      const { context } = await waitFor(actor, hasBegun);
      if (context.refusal !== null) throw context.refusal;
    },
    failed: (threadId) => tell({ type: "thread.failed", threadId }),
    unreadable: (threadId, problem) => tell({ type: "thread.unreadable", threadId, problem }),
    rested(threadId) {
      const { failures, onTrial } = roster();
      if (threadId in failures || onTrial.includes(threadId)) tell({ type: "thread.rested", threadId });
    },
    isAside: (threadId) => roster().aside.includes(threadId),
    called: (threadId) => tell({ type: "thread.called", threadId }),
    async stop() {
      tell({ type: "system.stopping" });
      await waitFor(actor, ({ status }) => status !== "active");
    },
  };
};
