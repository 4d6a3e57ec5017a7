import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Call, CallStatus, ThreadCommit } from "../../../machines/thread/commit.ts";
import type { WaitingInput } from "../../../machines/thread/input.ts";
import type { Acceptance, Delivery, Store } from "../../../src/store/store.ts";

/** An envelope that a store accepted. */
export interface Accepted {
  readonly threadId: ThreadId;
  readonly key: string;
  readonly waiting: WaitingInput;
}

/** What a store holds of one thread, put together from what was given to it, and much simpler than a store. */
export interface Page {
  readonly history: PlacedEntry[];
  readonly calls: Map<CallId, Call>;
  readonly started: Set<CallId>;
  readonly commits: ThreadCommit[];
  readonly consumed: number[];
  /** The last commit settled inline calls as interrupted while a text waited. */
  inlineCut: boolean;
}

/** Is told what a store made durable, in the order it did. */
export interface Notes {
  took(deliveries: readonly Delivery[], acceptances: readonly Acceptance[]): void;
  wrote(commit: ThreadCommit, sent: readonly Acceptance[]): void;
  marked(threadId: ThreadId, calls: readonly CallId[], status: CallStatus): void;
}

/** What became durable, in the order it did. */
export class Journal implements Notes {
  readonly accepted: Accepted[] = [];
  readonly pages = new Map<ThreadId, Page>();
  /** Called with each commit before it is added. */
  onCommit: (commit: ThreadCommit, before: Page) => void = () => {};

  page(threadId: ThreadId): Page {
    let page = this.pages.get(threadId);
    if (!page) {
      page = { history: [], calls: new Map(), started: new Set(), commits: [], consumed: [], inlineCut: false };
      this.pages.set(threadId, page);
    }
    return page;
  }

  /** Inputs of a thread that wait, in the order of acceptance. */
  waiting(threadId: ThreadId): readonly WaitingInput[] {
    const { consumed } = this.page(threadId);
    return this.accepted.flatMap(({ threadId: other, waiting }) =>
      other === threadId && !consumed.includes(waiting.seq) ? [waiting] : [],
    );
  }

  took(deliveries: readonly Delivery[], acceptances: readonly Acceptance[]): void {
    for (const [index, { threadId, key }] of deliveries.entries()) {
      const acceptance = acceptances[index];
      if (acceptance?.status === "accepted") this.accepted.push({ threadId, key, waiting: acceptance.waiting });
    }
  }

  marked(threadId: ThreadId, calls: readonly CallId[], status: CallStatus): void {
    if (status === "started") for (const callId of calls) this.page(threadId).started.add(callId);
  }

  wrote(commit: ThreadCommit): void {
    const page = this.page(commit.threadId);
    this.onCommit(commit, page);
    page.commits.push(commit);
    page.history.push(...commit.entries);
    page.history.sort((a, b) => a.position - b.position);
    page.consumed.push(...commit.consumed);
    for (const call of commit.calls.made) page.calls.set(call.callId, call);
    for (const callId of commit.calls.settled) page.calls.delete(callId);
  }
}

/**
 * A store whose operations begin and end when `turn` says so, and fail while `fails` does; what became durable is in the
 * journal. An operation that fails has changed nothing. `answersInOrder`: what became durable first is answered first, as by
 * every store that writes one thing after the other.
 */
export const watchedStore = (
  store: Store,
  journal: Notes,
  turn: (label: string) => Promise<void>,
  fails: () => boolean,
  answersInOrder = false,
): Store => {
  let answered: Promise<unknown> = Promise.resolve();
  const ends = (label: string): Promise<unknown> => {
    const ended = turn(`${label} ends`);
    if (!answersInOrder || (label !== "accept" && label !== "commit")) return ended;
    answered = Promise.all([answered, ended]);
    return answered;
  };
  const inTurn =
    <Args extends unknown[], Result>(label: string, operation: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await turn(`${label} begins`);
      if (fails()) throw new Error("the store is away");
      const result = await operation(...args);
      await ends(label);
      return result;
    };
  return {
    create: store.create,
    accept: inTurn("accept", async (deliveries, limits) => {
      const acceptances = await store.accept(deliveries, limits);
      journal.took(deliveries, acceptances);
      return acceptances;
    }),
    load: inTurn("load", store.load),
    history: inTurn("history", store.history),
    commit: inTurn("commit", async (commit, at) => {
      const outcome = await store.commit(commit, at);
      if (outcome.status === "committed") journal.wrote(commit, outcome.sent);
      return outcome;
    }),
    mark: inTurn("mark", async (threadId, calls, status) => {
      await store.mark(threadId, calls, status);
      journal.marked(threadId, calls, status);
    }),
    timers: inTurn("timers", store.timers),
    nextTimer: inTurn("next timer", store.nextTimer),
    feed: store.feed,
    threads: store.threads,
    close: store.close,
  };
};
