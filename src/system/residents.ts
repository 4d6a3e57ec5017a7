import type { ThreadId } from "../../machines/history/ids.ts";
import type { ThreadState } from "../../machines/thread/commit.ts";
import type { WaitingInput } from "../../machines/thread/input.ts";
import type { Death } from "../../machines/thread/ledger.ts";
import { ThreadQuarantinedError } from "../errors.ts";
import type { Notice } from "../queue/notice.ts";
import type { Inherited } from "../thread/conversation.ts";
import { runnableThread } from "../thread/effects.ts";
import type { ThreadEnvironment } from "../thread/environment.ts";
import { persist } from "../thread/persist.ts";
import { Resident } from "../thread/resident.ts";
import type { Limits } from "./api.ts";
import { createHandles, type ThreadHandle } from "./handles.ts";
import { createHibernation } from "./hibernation.ts";

/** The threads that are in memory. A thread is loaded once, however many ask for it at the same time. */
export interface Residents {
  /** The thread's actor, loaded if need be; undefined when the store has no such thread. */
  load(threadId: ThreadId): Promise<Resident | undefined>;
  get(threadId: ThreadId): Resident | undefined;
  /**
   * Settled once the thread is in memory, or cannot be, when it is on its way there or waits to be loaded anew; undefined
   * when neither. Never rejects.
   */
  loading(threadId: ThreadId): Promise<unknown> | undefined;
  /** What a face holds on to. */
  handle(resident: Resident): ThreadHandle;
  /**
   * Loads a thread that nobody has asked for. Resolves when it is in memory, or cannot be, which is told; never rejects.
   */
  begin(threadId: ThreadId, coming?: Coming): Promise<void>;
  /** Whoever waits for the thread hears that it is left alone: `load` rejects with ThreadQuarantinedError from then on. */
  abandon(threadId: ThreadId, problem: string): void;
  /** Inputs that were accepted; a thread that is not in memory is loaded and finds them in its inbox. */
  deliver(threadId: ThreadId, notices: readonly Notice[]): void;
  /**
   * Reads the inbox of a thread anew, as soon as the store answers: another process accepted something, or the store failed
   * and may have accepted something all the same. Never rejects.
   */
  look(threadId: ThreadId): Promise<void>;
  all(): Iterable<Resident>;
  /** Takes no more threads into memory, and lets those that are there bring what is under way to an end. */
  leave(): Promise<void>;
}

/** What the residents are told of, and tell. */
export interface Fates {
  readonly failed: (threadId: ThreadId) => void;
  readonly unreadable: (threadId: ThreadId, problem: string) => void;
  readonly rested: (threadId: ThreadId) => void;
  readonly isAside: (threadId: ThreadId) => boolean;
  readonly called: (threadId: ThreadId) => void;
}

export interface ResidentsOptions extends Pick<Limits, "hibernateAfter" | "residents"> {
  /** What the life before this one died of; null where it was ended in order. */
  readonly death: Death | null;
  readonly fates: Fates;
}

/** How a thread is brought into memory. */
interface Coming {
  /** What is in memory of its view. */
  readonly inherited?: Inherited | undefined;
  /** It was opened in this life: there is no other that it could have died in. */
  readonly isNew?: boolean;
}

/** A person calls for the thread. */
const calls = ({ input }: WaitingInput): boolean => input.kind === "text" || input.kind === "release";

export const createResidents = (
  env: ThreadEnvironment,
  { hibernateAfter, residents: most, death, fates }: ResidentsOptions,
): Residents => {
  const residents = new Map<ThreadId, Resident>();
  const handles = createHandles();
  /** Of threads that left memory while somebody watches: inputs up to that number were told as deferred. */
  const told = new Map<ThreadId, number>();
  const hibernation = createHibernation({
    clock: env.clock,
    after: hibernateAfter,
    most,
    sleep(resident) {
      const { announced } = resident.snapshot.context;
      if (announced > 0 && env.watched(resident.threadId)) told.set(resident.threadId, announced);
      forget(resident);
      resident.stop();
    },
  });
  const loading = new Map<ThreadId, Promise<Resident | undefined>>();
  /** What came while a thread was loaded; its record may have been read before. */
  const arriving = new Map<ThreadId, Notice[]>();
  /** When the actor of a thread failed that has not come to rest since. */
  const failedAt = new Map<ThreadId, number>();
  /** Threads that are left alone, and why. */
  const abandoned = new Map<ThreadId, string>();
  /** Threads whose actor is gone and that are to be loaded anew: told when that is over, one way or the other. */
  const buried = new Map<ThreadId, PromiseWithResolvers<void>>();
  let leaving = false;
  const machine = runnableThread(env, (threadId) => {
    const resident = residents.get(threadId);
    if (!resident) throw new Error(`Thread ${threadId} acts and is not resident.`);
    return resident;
  });

  const forget = (resident: Resident): void => {
    hibernation.gone(resident);
    if (residents.get(resident.threadId) === resident) residents.delete(resident.threadId);
  };
  /** A thread that came to rest has done what killed its actor before, or got past it. */
  const moved = (resident: Resident, state: ThreadState): void => {
    if (state !== "running") {
      failedAt.delete(resident.threadId);
      fates.rested(resident.threadId);
    }
    handles.held(resident.threadId)?.changed(state);
    if (residents.get(resident.threadId) === resident) hibernation.used(resident);
  };

  const deathOf = (threadId: ThreadId, { isNew = false }: Coming): Death | null => {
    const at = failedAt.get(threadId);
    if (at !== undefined) return { of: "actor", at, life: `${env.freshId()} after an actor` };
    return isNew ? null : death;
  };

  const read = async (threadId: ThreadId, coming: Coming): Promise<Resident | undefined> => {
    const loaded = await persist(`record of ${threadId}`, () => env.store.load(threadId), env);
    if (!loaded || leaving || env.signal.aborted) return undefined;
    const resident: Resident = new Resident(env, machine, loaded, {
      inherited: coming.inherited,
      death: deathOf(threadId, coming),
      announced: told.get(threadId),
      onDeath: () => bury(resident),
      // A closed thread is never heard of again: nothing of it stays in memory.
      onEnd: () => forget(resident),
      onState: (state) => moved(resident, state),
    });
    told.delete(threadId);
    residents.set(threadId, resident);
    handles.held(threadId)?.follow(resident);
    risen(threadId);
    resident.start();
    // In the same breath: what is told from here on goes to the resident itself.
    resident.hear(arriving.get(threadId) ?? []);
    return resident;
  };

  /** An actor that ended in an error is taken out, and its thread loaded anew after a wait: its inputs are in the store. */
  const bury = (resident: Resident): void => {
    const { threadId } = resident;
    forget(resident);
    resident.stop();
    if (env.signal.aborted) return;
    failedAt.set(threadId, env.clock.now());
    if (!buried.has(threadId)) buried.set(threadId, Promise.withResolvers());
    handles.held(threadId)?.lost();
    fates.failed(threadId);
  };

  const risen = (threadId: ThreadId): void => {
    buried.get(threadId)?.resolve();
    buried.delete(threadId);
  };
  env.signal.addEventListener("abort", () => [...buried.keys()].forEach(risen), { once: true });

  const load = async (threadId: ThreadId, coming: Coming = {}): Promise<Resident | undefined> => {
    const resident = residents.get(threadId);
    if (resident) {
      hibernation.used(resident);
      return resident;
    }
    const why = abandoned.get(threadId);
    if (why !== undefined) throw new ThreadQuarantinedError(threadId, why);
    const underway = loading.get(threadId);
    if (underway) return underway;
    arriving.set(threadId, []);
    const reading = read(threadId, coming).finally(() => {
      loading.delete(threadId);
      arriving.delete(threadId);
    });
    loading.set(threadId, reading);
    return reading;
  };

  const begin = async (threadId: ThreadId, coming?: Coming): Promise<void> => {
    try {
      await load(threadId, coming);
    } catch (error) {
      // Who asks for it has it read anew, and hears what is wrong with it.
      failedAt.delete(threadId);
      if (!env.signal.aborted) fates.unreadable(threadId, String(error));
    } finally {
      risen(threadId);
    }
  };

  /** Threads that are looked into; true: once more, something came meanwhile. */
  const looking = new Map<ThreadId, boolean>();

  const recall = (threadId: ThreadId): void => {
    abandoned.delete(threadId);
    fates.called(threadId);
  };

  const refresh = async (threadId: ThreadId): Promise<void> => {
    if (leaving) return;
    const resident = residents.get(threadId);
    if (!resident && fates.isAside(threadId)) {
      const waiting = await env.store.load(threadId);
      if (waiting?.inbox.some(calls)) recall(threadId);
      return;
    }
    if (!resident) return begin(threadId);
    const inbox = (await env.store.load(threadId))?.inbox;
    if (inbox) resident.accept(inbox);
  };

  return {
    load: (threadId) => load(threadId),
    begin,
    abandon(threadId, problem) {
      if (failedAt.has(threadId)) abandoned.set(threadId, problem);
      risen(threadId);
    },
    get: (threadId) => residents.get(threadId),
    loading: (threadId) => loading.get(threadId)?.catch(() => {}) ?? buried.get(threadId)?.promise,
    // The one that was found can be gone by now.
    handle: (resident) => handles.of(residents.get(resident.threadId) ?? resident),
    deliver(threadId, notices) {
      const resident = residents.get(threadId);
      if (resident) {
        hibernation.used(resident);
        return resident.hear(notices);
      }
      if (fates.isAside(threadId)) {
        if (notices.some(({ waiting }) => calls(waiting))) recall(threadId);
        return;
      }
      void begin(threadId);
      arriving.get(threadId)?.push(...notices);
    },
    async look(threadId) {
      const isUnderway = looking.has(threadId);
      looking.set(threadId, isUnderway);
      if (isUnderway) return;
      try {
        do {
          looking.set(threadId, false);
          await persist(`inbox of ${threadId}`, () => refresh(threadId), env);
        } while (looking.get(threadId));
      } catch (error) {
        if (!env.signal.aborted) env.logger.error({ threadId, error: String(error) }, "the inbox could not be read");
      } finally {
        looking.delete(threadId);
      }
    },
    all: () => residents.values(),
    async leave() {
      leaving = true;
      hibernation.stop();
      await Promise.all([...residents.values()].map((resident) => resident.leave()));
    },
  };
};
