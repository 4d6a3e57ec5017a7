import type { PlacedEntry } from "../../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Call, ThreadCommit, ThreadState } from "../../../machines/thread/commit.ts";
import type { Fact } from "../../../machines/thread/facts.ts";
import type { Opening } from "../../../machines/thread/family.ts";
import { dedupKeyOf, type WaitingInput } from "../../../machines/thread/input.ts";
import type { Acceptance, CommitOutcome, Delivery } from "../../store/store.ts";
import { Questions } from "./questions.ts";

/** An envelope that the store said it accepted. */
export interface Accepted {
  readonly threadId: ThreadId;
  readonly key: string;
  readonly waiting: WaitingInput;
  /** The thread whose commit sent it; null when it came from outside. */
  readonly from: ThreadId | null;
}

/** What became of one thread, put together from what its store was told: much simpler than a store. */
export interface Page {
  readonly threadId: ThreadId;
  readonly opening: Opening | null;
  readonly history: PlacedEntry[];
  /** Outstanding. */
  readonly calls: Map<CallId, Call>;
  /** Every call that was ever made. */
  readonly made: Map<CallId, Call>;
  readonly started: Set<CallId>;
  /** Waiting for an approval. */
  readonly proposed: Set<CallId>;
  readonly subscriptions: Set<CallId>;
  /** The commit that took each input out, by `seq`; more than one is a fault. */
  readonly consumed: Map<number, ThreadCommit[]>;
  readonly inbox: Map<number, WaitingInput>;
  state: ThreadState;
  halted: boolean;
  /** Set aside: its process died over it too often. */
  quarantined: boolean;
  /** How many slices have ended. */
  slices: number;
  /** It was told to end, or has. */
  closing: boolean;
}

/** Hears of what becomes durable, before it is written down. */
export interface Listener {
  committing(commit: ThreadCommit, before: Page, life: number): void;
}

/** What a store acknowledged, in the order it did. */
export class Record {
  readonly accepted: Accepted[] = [];
  readonly pages = new Map<ThreadId, Page>();
  /** What a commit told another thread and that one had heard already, by the key under which it had. */
  readonly repeated: string[] = [];
  /** Grows with everything that becomes durable. */
  changes = 0;
  readonly questions = new Questions();
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  page(threadId: ThreadId): Page {
    const page = this.pages.get(threadId);
    return page ?? this.opened(threadId, null, []);
  }

  opened(threadId: ThreadId, opening: Opening | null, entries: readonly PlacedEntry[]): Page {
    this.changes++;
    const page: Page = {
      threadId,
      opening,
      history: [...entries],
      calls: new Map(),
      made: new Map(),
      started: new Set(),
      proposed: new Set(),
      subscriptions: new Set(),
      consumed: new Map(),
      inbox: new Map(),
      state: opening ? "running" : "idle",
      halted: false,
      quarantined: false,
      closing: false,
      slices: 0,
    };
    this.pages.set(threadId, page);
    return page;
  }

  took(deliveries: readonly Delivery[], acceptances: readonly Acceptance[]): void {
    for (const [index, { threadId, key }] of deliveries.entries()) this.#file(threadId, key, acceptances[index], null);
  }

  wrote(commit: ThreadCommit, outcome: CommitOutcome, life: number): void {
    if (outcome.status !== "committed") return;
    this.changes++;
    const page = this.page(commit.threadId);
    this.#listener.committing(commit, page, life);
    this.questions.wrote(commit);
    page.history.push(...commit.entries);
    page.history.sort((a, b) => a.position - b.position);
    for (const seq of commit.consumed) {
      page.consumed.set(seq, [...(page.consumed.get(seq) ?? []), commit]);
      page.inbox.delete(seq);
    }
    for (const call of commit.calls.made) {
      page.calls.set(call.callId, call);
      page.made.set(call.callId, call);
      if (call.status === "proposed") page.proposed.add(call.callId);
    }
    for (const callId of commit.calls.approved ?? []) page.proposed.delete(callId);
    for (const callId of commit.calls.settled) {
      page.calls.delete(callId);
      page.proposed.delete(callId);
    }
    for (const { callId } of commit.subscriptions.opened) page.subscriptions.add(callId);
    for (const callId of commit.subscriptions.ended) page.subscriptions.delete(callId);
    page.slices += commit.facts.filter(({ type }) => type === "slice.ended").length;
    if (commit.record) {
      page.state = commit.record.state;
      page.quarantined = commit.record.quarantined !== null;
      page.halted = commit.record.halted;
      page.closing ||= commit.record.closing !== null || commit.record.state === "closed";
    }
    for (const { threadId, opening, entries } of commit.children.opened) this.opened(threadId, opening, entries);
    for (const [index, envelope] of commit.sent.entries())
      this.#file(envelope.threadId, dedupKeyOf(envelope), outcome.sent[index], commit.threadId);
  }

  marked(threadId: ThreadId, calls: readonly CallId[]): void {
    this.changes++;
    for (const callId of calls) this.page(threadId).started.add(callId);
  }

  /** A result of the call was durable when so many inputs were, and was not discarded. */
  isAnswered(threadId: ThreadId, callId: CallId, soFar: number): boolean {
    const { consumed, made } = this.page(threadId);
    // A result of an inline call that somebody else sends is none.
    if (made.get(callId)?.form === "inline") return false;
    return this.accepted.slice(0, soFar).some(({ threadId: other, waiting }) => {
      const { input, seq } = waiting;
      if (other !== threadId || input.kind !== "result" || input.callId !== callId) return false;
      return (consumed.get(seq) ?? []).every((commit) => discardsOf(commit, waiting).length === 0);
    });
  }

  /** A thread's history as its model sees it: its parents' up to where it began, and its own. */
  view(page: Page): readonly PlacedEntry[] {
    const { opening, history } = page;
    if (!opening) return history;
    const own = new Set(history.map(({ position }) => position));
    const inherited = this.view(this.page(opening.parent)).filter(
      ({ position }) => position < opening.position && !own.has(position),
    );
    return [...inherited, ...history].sort((a, b) => a.position - b.position);
  }

  #file(threadId: ThreadId, key: string, acceptance: Acceptance | undefined, from: ThreadId | null): void {
    if (acceptance?.status === "duplicate" && from !== null) this.repeated.push(`${threadId} ${key}`);
    if (acceptance?.status !== "accepted") return;
    this.changes++;
    const { waiting } = acceptance;
    this.accepted.push({ threadId, key, waiting, from });
    this.page(threadId).inbox.set(waiting.seq, waiting);
  }
}

/** What a commit says of an input that it takes out: the discards that can be its own. */
export const discardsOf = ({ facts }: ThreadCommit, { dedupId, input }: WaitingInput): readonly Fact[] =>
  facts.filter(
    (fact) =>
      fact.type === "input.discarded" &&
      fact.kind === input.kind &&
      fact.dedupId === dedupId &&
      fact.callId === ("callId" in input ? input.callId : undefined) &&
      fact.choiceId === ("choiceId" in input ? input.choiceId : undefined),
  );
