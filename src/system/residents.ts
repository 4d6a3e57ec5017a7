import type { ThreadId } from "../../machines/history/ids.ts";
import type { ThreadState } from "../../machines/thread/commit.ts";
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
   * Loads a thread that nobody has asked for; a failure is logged. Resolves when it is in memory, or cannot be; never
   * rejects. `inherited`: what is in memory of its view.
   */
  begin(threadId: ThreadId, inherited?: Inherited): Promise<void>;
  /** Inputs that were accepted; a thread that is not in memory is loaded and finds them in its inbox. */
  deliver(threadId: ThreadId, notices: readonly Notice[]): void;
  /** Reads the inbox of a thread anew: another process accepted something. */
  refresh(threadId: ThreadId): Promise<void>;
  all(): Iterable<Resident>;
  /** Takes no more threads into memory, and lets those that are there bring what is under way to an end. */
  leave(): Promise<void>;
}

/** ms before a thread whose actor failed is loaded again; doubled each time, up to the last. */
const firstWait = 1_000;
const longestWait = 60_000;

export const createResidents = (
  env: ThreadEnvironment,
  { hibernateAfter, residents: most }: Pick<Limits, "hibernateAfter" | "residents">,
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
  /** How often in a row a thread's actor ended in an error. */
  const deaths = new Map<ThreadId, number>();
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
    if (state !== "running") deaths.delete(resident.threadId);
    handles.held(resident.threadId)?.changed(state);
    if (residents.get(resident.threadId) === resident) hibernation.used(resident);
  };

  const read = async (threadId: ThreadId, inherited?: Inherited): Promise<Resident | undefined> => {
    const loaded = await persist(`record of ${threadId}`, () => env.store.load(threadId), env);
    if (!loaded || leaving || env.signal.aborted) return undefined;
    const resident: Resident = new Resident(env, machine, loaded, {
      inherited,
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
    const times = deaths.get(threadId) ?? 0;
    deaths.set(threadId, times + 1);
    if (!buried.has(threadId)) buried.set(threadId, Promise.withResolvers());
    handles.held(threadId)?.lost();
    env.clock.setTimeout(
      () => void begin(threadId).finally(() => risen(threadId)),
      Math.min(firstWait * 2 ** times, longestWait),
    );
  };

  const risen = (threadId: ThreadId): void => {
    buried.get(threadId)?.resolve();
    buried.delete(threadId);
  };
  env.signal.addEventListener("abort", () => [...buried.keys()].forEach(risen), { once: true });

  const load = (threadId: ThreadId, inherited?: Inherited): Promise<Resident | undefined> => {
    const resident = residents.get(threadId);
    if (resident) {
      hibernation.used(resident);
      return Promise.resolve(resident);
    }
    const underway = loading.get(threadId);
    if (underway) return underway;
    arriving.set(threadId, []);
    const reading = read(threadId, inherited).finally(() => {
      loading.delete(threadId);
      arriving.delete(threadId);
    });
    loading.set(threadId, reading);
    return reading;
  };

  const begin = (threadId: ThreadId, inherited?: Inherited): Promise<void> =>
    load(threadId, inherited).then(
      () => {},
      (error) => {
        if (!env.signal.aborted) env.logger.error({ threadId, error: String(error) }, "the thread could not be loaded");
      },
    );

  return {
    load: (threadId) => load(threadId),
    begin,
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
      void begin(threadId);
      arriving.get(threadId)?.push(...notices);
    },
    async refresh(threadId) {
      const resident = residents.get(threadId);
      if (!resident) return void (await load(threadId));
      const inbox = (await env.store.load(threadId))?.inbox;
      if (inbox) resident.accept(inbox);
    },
    all: () => residents.values(),
    async leave() {
      leaving = true;
      hibernation.stop();
      await Promise.all([...residents.values()].map((resident) => resident.leave()));
    },
  };
};
