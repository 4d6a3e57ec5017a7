import { setTimeout } from "node:timers/promises";
import { createSystem, LeaseHeldError, type System } from "wakeful";

/**
 * Makes a system once nobody else runs the threads of its store. After a crash, that is when the lease of the process
 * before has run out.
 */
export const createWhenFree = async (options: Parameters<typeof createSystem>[0]): Promise<System> => {
  for (;;) {
    try {
      return await createSystem(options);
    } catch (error) {
      if (!(error instanceof LeaseHeldError)) throw error;
      await setTimeout(Math.max(error.until - Date.now(), 0) + 50);
    }
  }
};
