import type { ThreadCommit } from "../../../machines/thread/commit.ts";
import type { NewThread } from "../../../machines/thread/family.ts";
import type { Clock } from "../../clock.ts";
import type { CommitOutcome, Store } from "../../store/store.ts";

/** Counts what happens, so that a player can tell when nothing does any more. */
export interface Activity {
  beat(): void;
  readonly beats: number;
  /** Something that will end by itself has begun; call the returned function when it has. */
  begin(): () => void;
  readonly underway: number;
}

export const createActivity = (): Activity => {
  let beats = 0;
  let underway = 0;
  return {
    beat: () => void beats++,
    get beats() {
      return beats;
    },
    begin() {
      beats++;
      underway++;
      let over = false;
      return () => {
        if (over) return;
        over = true;
        beats++;
        underway--;
      };
    },
    get underway() {
      return underway;
    },
  };
};

/** What one life of a system stands on. A crash takes it away; the store and the clock below go on. */
export interface Incarnation {
  readonly store: Store;
  readonly clock: Clock;
  /** Lets through what was held back since the start. */
  open(): void;
  /** Lets through what a thread that was created since does: the player watches it. */
  letGo(threadId: string): void;
  /** As when the process dies: no operation on the store answers any more or begins, no timer fires. */
  crash(): void;
}

/**
 * Held back until the player watches the thread, so that it misses nothing of what a new life takes up, and of what a new
 * thread begins with.
 */
const held: ReadonlySet<string> = new Set(["history", "commit", "mark"]);

/** What several processes on one store need; the lives of a scenario follow one another. */
const sharing: ReadonlySet<string> = new Set(["lease", "release", "acceptedAfter"]);

/** The thread that a held operation is about. */
const threadOf = ([about]: readonly unknown[]): string =>
  typeof about === "string" ? about : (about as ThreadCommit).threadId;

/** `onOpened` hears of threads that a commit created, also when the life has crashed meanwhile. */
export const incarnate = (
  store: Store,
  clock: Clock,
  activity: Activity,
  onOpened: (threads: readonly NewThread[]) => void = () => {},
): Incarnation => {
  let alive = true;
  const timers = new Set<unknown>();
  const opening = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  /** Threads that nobody watches yet. */
  const unwatched = new Map<string, PromiseWithResolvers<void>>();

  const noteOpened = ({ children: { opened } }: ThreadCommit, { status }: CommitOutcome): void => {
    if (status !== "committed" || opened.length === 0) return;
    for (const { threadId } of opened) unwatched.set(threadId, Promise.withResolvers());
    onOpened(opened);
  };

  const guarded =
    (name: string, operation: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]): Promise<unknown> => {
      if (held.has(name)) await opening.promise;
      if (held.has(name)) await unwatched.get(threadOf(args))?.promise;
      if (!alive) return never;
      const end = activity.begin();
      try {
        const answer = await operation.apply(store, args);
        if (name === "commit") noteOpened(args[0] as ThreadCommit, answer as CommitOutcome);
        return alive ? answer : never;
      } catch (error) {
        if (alive) throw error;
        return never;
      } finally {
        end();
      }
    };
  const operations = new Map<string | symbol, unknown>();
  const guard = new Proxy(store, {
    // Nobody else is on the store, and the lease of a life that crashed would have to run out in virtual time.
    has: (target, name) => !sharing.has(String(name)) && Reflect.has(target, name),
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (!operations.has(name)) operations.set(name, guarded(String(name), value));
      return operations.get(name);
    },
  });

  return {
    store: guard,
    clock: {
      now: () => clock.now(),
      setTimeout(fn, delay) {
        if (!alive) return undefined;
        const id = clock.setTimeout(() => {
          timers.delete(id);
          activity.beat();
          fn();
        }, delay);
        timers.add(id);
        return id;
      },
      clearTimeout(id) {
        timers.delete(id);
        clock.clearTimeout(id);
      },
    },
    open: () => opening.resolve(),
    letGo(threadId) {
      unwatched.get(threadId)?.resolve();
      unwatched.delete(threadId);
    },
    crash() {
      alive = false;
      for (const id of timers) clock.clearTimeout(id);
      timers.clear();
      opening.resolve();
      for (const { resolve } of unwatched.values()) resolve();
    },
  };
};
