import type { ThreadId } from "../../machines/history/ids.ts";
import type { WaitingInput } from "../../machines/thread/input.ts";
import { runnableThread } from "../thread/effects.ts";
import type { ThreadEnvironment } from "../thread/environment.ts";
import { persist } from "../thread/persist.ts";
import { Resident } from "../thread/resident.ts";

/** The threads that are in memory. A thread is loaded once, however many ask for it at the same time. */
export interface Residents {
  /** The thread's actor, loaded if need be; undefined when the store has no such thread. */
  load(threadId: ThreadId): Promise<Resident | undefined>;
  get(threadId: ThreadId): Resident | undefined;
  /** Inputs that were accepted; a thread that is not in memory is loaded and finds them in its inbox. */
  deliver(threadId: ThreadId, inputs: readonly WaitingInput[]): void;
  all(): Iterable<Resident>;
}

export const createResidents = (env: ThreadEnvironment): Residents => {
  const residents = new Map<ThreadId, Resident>();
  const loading = new Map<ThreadId, Promise<Resident | undefined>>();
  const machine = runnableThread(env, (threadId) => {
    const resident = residents.get(threadId);
    if (!resident) throw new Error(`Thread ${threadId} acts and is not resident.`);
    return resident;
  });

  const read = async (threadId: ThreadId): Promise<Resident | undefined> => {
    const loaded = await persist(`record of ${threadId}`, () => env.store.load(threadId), env);
    if (!loaded || env.signal.aborted) return undefined;
    const resident = new Resident(env, machine, loaded);
    residents.set(threadId, resident);
    resident.start();
    return resident;
  };

  const load = (threadId: ThreadId): Promise<Resident | undefined> => {
    const resident = residents.get(threadId);
    if (resident) return Promise.resolve(resident);
    const underway = loading.get(threadId);
    if (underway) return underway;
    const reading = read(threadId).finally(() => loading.delete(threadId));
    loading.set(threadId, reading);
    return reading;
  };

  return {
    load,
    get: (threadId) => residents.get(threadId),
    deliver(threadId, inputs) {
      const resident = residents.get(threadId);
      if (resident) resident.accept(inputs);
      else
        load(threadId)
          // What came while the record was read may be missing from it; `accept` leaves out what is not.
          .then((loaded) => loaded?.accept(inputs))
          .catch((error) => env.logger.error({ threadId, error: String(error) }, "the thread could not be loaded"));
    },
    all: () => residents.values(),
  };
};
