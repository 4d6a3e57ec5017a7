import { ThreadId } from "../../../machines/history/ids.ts";
import type { ThreadCommit } from "../../../machines/thread/commit.ts";
import type { NewThread } from "../../../machines/thread/family.ts";
import { dedupKeyOf, type Envelope } from "../../../machines/thread/input.ts";
import type { ThreadLimits } from "../../../machines/thread/ledger.ts";
import { Fold, type Place } from "./fold.ts";
import { type Filed, Grove } from "./grove.ts";
import { bornWith, type Stored } from "./stored.ts";

const root = ThreadId.parse("t1");

/**
 * A root and everything below it, each a fold: still nothing starts and nothing waits. What a commit says to others is
 * filed there by that commit, and told later, when whoever drives the tree says so. A crash ends all of them at once.
 */
export class Tree extends Grove {
  readonly root = root;
  readonly limits: Partial<ThreadLimits>;
  readonly folds = new Map<ThreadId, Fold>();
  /** Everything that was accepted, in order. */
  override readonly filed: Filed[] = [];
  /** Threads whose state can have changed since this was emptied. */
  readonly touched = new Set<ThreadId>();
  readonly #seen = new Map<ThreadId, Set<string>>();
  #untold: Filed[] = [];

  constructor(limits: Partial<ThreadLimits> = {}) {
    super();
    this.limits = limits;
    this.#begin(root, undefined, null);
  }

  override fold(threadId: ThreadId): Fold {
    const fold = this.folds.get(threadId);
    if (!fold) throw new Error(`there is no thread ${threadId}`);
    return fold;
  }

  override get threads(): readonly ThreadId[] {
    return [...this.folds.keys()];
  }

  /** Accepted: true. A repetition, or refused since the thread is closed or unknown: false. The thread is told later. */
  deliver(envelope: Envelope): boolean {
    const { threadId, dedupId, input } = envelope;
    const fold = this.folds.get(threadId);
    const seen = this.#seen.get(threadId);
    const key = dedupKeyOf(envelope);
    if (!fold || !seen || seen.has(key) || this.isClosed(threadId)) return false;
    seen.add(key);
    for (const waiting of fold.file({ ...input, dedupId })) {
      this.filed.push({ threadId, waiting });
      this.#untold.push({ threadId, waiting });
    }
    return true;
  }

  /** Threads that have something to be told. */
  get untold(): readonly ThreadId[] {
    return [...new Set(this.#untold.map(({ threadId }) => threadId))];
  }

  tell(threadId: ThreadId): void {
    const inputs = this.#untold.filter((filed) => filed.threadId === threadId).map(({ waiting }) => waiting);
    this.#untold = this.#untold.filter((filed) => filed.threadId !== threadId);
    this.touched.add(threadId);
    // A closed thread has left memory; it is loaded to say what becomes of an input that came too late.
    if (this.isClosed(threadId)) this.#replace(threadId, (fold) => fold.reloaded());
    else this.fold(threadId).hear(inputs);
  }

  /** The process ends, and all threads come back in another one. */
  crash(): void {
    this.#untold = [];
    for (const threadId of this.threads) this.#replace(threadId, (fold) => fold.restarted());
  }

  /** A thread that rests leaves memory and comes back in the same process. What it was not told it finds in its inbox. */
  reload(threadId: ThreadId): void {
    if (this.fold(threadId).state.startsWith("running")) return;
    this.#untold = this.#untold.filter((filed) => filed.threadId !== threadId);
    this.#replace(threadId, (fold) => fold.reloaded());
  }

  #replace(threadId: ThreadId, again: (fold: Fold) => Fold): void {
    this.touched.add(threadId);
    const fold = this.fold(threadId);
    if (!this.isClosed(threadId) || fold.stored.inbox.length > 0) this.folds.set(threadId, again(fold));
  }

  #begin(threadId: ThreadId, stored: Stored | undefined, opening: NewThread["opening"] | null): void {
    const place: Place = {
      threadId,
      freshId: `${threadId}.`,
      committed: (commit) => this.#committed(commit),
    };
    this.#seen.set(threadId, new Set());
    this.touched.add(threadId);
    this.folds.set(threadId, new Fold(this.limits, stored, [], [], opening, place));
  }

  #committed({ threadId, children, sent }: ThreadCommit): void {
    this.touched.add(threadId);
    for (const born of children.opened) {
      if (this.folds.has(born.threadId)) throw new Error(`there is a thread ${born.threadId} already`);
      this.#begin(born.threadId, bornWith(born), born.opening);
    }
    for (const envelope of sent) this.deliver(envelope);
  }
}
