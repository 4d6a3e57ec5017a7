import type { ThreadId } from "../../machines/history/ids.ts";
import type { ThreadState } from "../../machines/thread/commit.ts";
import type { Resident } from "../thread/resident.ts";

/**
 * What the faces of a thread hold on to while its actor comes and goes: the thread as it was in memory last, which is as it
 * is in the store while it is not, and who listens to its state.
 */
export class ThreadHandle {
  #last: Resident;
  #told: ThreadState;
  readonly #listeners = new Set<(state: ThreadState) => void>();
  readonly #mourners = new Set<() => void>();

  constructor(resident: Resident) {
    this.#last = resident;
    this.#told = resident.state;
  }

  get last(): Resident {
    return this.#last;
  }

  /** The thread is in memory again. */
  follow(resident: Resident): void {
    this.#last = resident;
  }

  /** Told of each state; one that is the same as before is nothing new. */
  changed(state: ThreadState): void {
    if (state === this.#told) return;
    this.#told = state;
    for (const listener of [...this.#listeners]) listener(state);
  }

  /** The actor is gone in the middle of things; another one follows, if the thread can be loaded. */
  lost(): void {
    for (const mourner of [...this.#mourners]) mourner();
  }

  /** Calls `mourner` whenever the actor is lost, until the returned function is called. */
  onLost(mourner: () => void): () => void {
    this.#mourners.add(mourner);
    return () => this.#mourners.delete(mourner);
  }

  /** Calls `listener` with each new state, until the returned function is called. */
  onState(listener: (state: ThreadState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The handles that somebody holds, and no others: a thread that nobody looks at leaves nothing behind. */
export interface ThreadHandles {
  /** The thread's handle, the same for all who hold one at the same time. */
  of(resident: Resident): ThreadHandle;
  /** Undefined when nobody holds one. */
  held(threadId: ThreadId): ThreadHandle | undefined;
}

export const createHandles = (): ThreadHandles => {
  const handles = new Map<ThreadId, WeakRef<ThreadHandle>>();
  const dropped = new FinalizationRegistry<ThreadId>((threadId) => {
    // Another may have been made meanwhile.
    if (handles.get(threadId)?.deref() === undefined) handles.delete(threadId);
  });
  return {
    of(resident) {
      const { threadId } = resident;
      const there = handles.get(threadId)?.deref();
      if (there) return there;
      const handle = new ThreadHandle(resident);
      handles.set(threadId, new WeakRef(handle));
      dropped.register(handle, threadId);
      return handle;
    },
    held: (threadId) => handles.get(threadId)?.deref(),
  };
};
