import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { ThreadCommit } from "../../../machines/thread/commit.ts";
import type { Opening } from "../../../machines/thread/family.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";
import type { Stored } from "./stored.ts";

/** One thread as the rules look at it, whoever runs it. */
export interface Grown {
  readonly opening: Opening | null;
  readonly commits: readonly ThreadCommit[];
  readonly stored: Stored;
  /** As the thread itself says that it stands. */
  readonly state: string;
  /** The calls that it says are outstanding. */
  readonly context: { readonly calls: readonly { readonly callId: CallId }[] };
}

/** An input that became durable, and where. */
export interface Filed {
  readonly threadId: ThreadId;
  readonly waiting: WaitingInput;
}

/** Threads and those below them. */
export abstract class Grove {
  abstract readonly threads: readonly ThreadId[];
  /** Everything that was accepted, in order. */
  abstract readonly filed: readonly Filed[];
  abstract fold(threadId: ThreadId): Grown;

  isClosed(threadId: ThreadId): boolean {
    return this.fold(threadId).stored.record.state === "closed";
  }

  get open(): readonly ThreadId[] {
    return this.threads.filter((threadId) => !this.isClosed(threadId));
  }

  childrenOf(threadId: ThreadId): readonly ThreadId[] {
    return this.threads.filter((other) => this.fold(other).opening?.parent === threadId);
  }

  /** Root first, itself last. */
  stackOf(threadId: ThreadId): readonly ThreadId[] {
    return [...(this.fold(threadId).opening?.stack ?? []), threadId];
  }

  /** What the thread's model reads: what it inherits, and its own. */
  viewOf(threadId: ThreadId): readonly PlacedEntry[] {
    const { opening, stored } = this.fold(threadId);
    if (!opening) return stored.history;
    const own = new Set(stored.history.map(({ position }) => position));
    const inherited = this.viewOf(opening.parent).filter(
      ({ position }) => position < opening.position && !own.has(position),
    );
    return [...inherited, ...stored.history].sort((a, b) => a.position - b.position);
  }
}

/** Small numbers, so that a short story meets every limit. */
export const treeLimits = {
  rounds: 6,
  equalCalls: 3,
  subscriptions: 2,
  children: 3,
  depth: 3,
  eventChildrenAtOnce: 2,
} as const;

/** Something that a scripted model asked a built-in tool to do. Its words are said once in a story. */
export interface Asked {
  readonly by: ThreadId;
  readonly what: "spawn" | "report" | "message" | "close";
  /** Also what the model calls its call. */
  readonly words: string;
  /** Whom it is about: the child of a message, the thread that closes. */
  readonly to?: string;
  /** It asks for what its thread may not do. */
  readonly wrong: boolean;
}

/** Threads, and what was said to them and by their models: a record that is much simpler than they are. */
export interface Told {
  readonly tree: Grove;
  readonly asked: readonly Asked[];
  /** Ids of what was accepted from outside. */
  readonly sentIds: ReadonlySet<string>;
}
