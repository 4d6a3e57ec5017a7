import type { Clock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/logger.ts";
import type { Store } from "../../../src/store/store.ts";
import type { System, SystemOptions, Thread, ThreadOptions } from "../../../src/system/api.ts";
import { createSystem } from "../../../src/system/create.ts";
import type { SystemHooks } from "../../../src/thread/environment.ts";
import { type Notes, watchedStore } from "./journal.ts";
import { type ToolWatch, toolsOfEveryForm } from "./tools.ts";

/** A process that runs a system, as far as a world can see it. */
export interface Process {
  readonly store: Store;
  readonly notes: Notes;
  readonly clock: Clock;
  readonly turn: (label: string) => Promise<void>;
  /** The store refuses the next operation. */
  readonly fails: () => boolean;
  readonly answersInOrder?: boolean;
  /** False once the process has ended: nothing that it did before comes to an end, nor do its clocks ring. */
  readonly lives: () => boolean;
  readonly watch: Omit<ToolWatch, "turn">;
  readonly options: Pick<SystemOptions, "model"> & Partial<SystemOptions>;
  readonly hooks: SystemHooks;
  readonly roots: readonly { readonly id: string; readonly options?: ThreadOptions }[];
}

/** `started`: called before the first thread is opened; `opened`: with each root, before the next. */
export const startProcess = async (
  { store, notes, clock, turn, fails, answersInOrder, lives, watch, options, hooks, roots }: Process,
  started: (system: System) => void,
  opened: (thread: Thread) => void = () => {},
): Promise<readonly Thread[]> => {
  const system = await createSystem(
    {
      store: watchedStore(store, notes, turn, fails, answersInOrder),
      clock: { ...clock, setTimeout: (ring, ms) => clock.setTimeout(() => lives() && ring(), ms) },
      logger: silentLogger,
      tools: toolsOfEveryForm({
        began: (name, call) => lives() && watch.began(name, call),
        turn,
        opened: (events) => lives() && watch.opened(events),
      }),
      ...options,
    },
    hooks,
  );
  if (!lives()) return [];
  started(system);
  const threads: Thread[] = [];
  for (const { id, options } of roots) {
    const thread = await system.open(id, options);
    opened(thread);
    threads.push(thread);
  }
  return threads;
};
