import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { CallStatus, ThreadCommit } from "../../../machines/thread/commit.ts";
import type { Opening } from "../../../machines/thread/family.ts";
import type { Acceptance, Delivery, Store } from "../../../src/store/store.ts";
import { type Filed, Grove, type Grown } from "../thread/grove.ts";
import { applyCommit, bornWith, nothingStored, type Stored } from "../thread/stored.ts";
import type { Notes } from "./journal.ts";

/** What a store holds of one thread, put together from what was given to it, and much simpler than a store. */
interface Page extends Grown {
  readonly opening: Opening | null;
  readonly commits: ThreadCommit[];
  readonly stored: Stored;
  readonly started: Set<CallId>;
  /** As the live thread says; as the record says while nobody asked it. */
  state: string;
  context: Grown["context"];
}

const pageOf = (stored: Stored, opening: Opening | null): Page => ({
  opening,
  commits: [],
  stored,
  started: new Set(),
  state: "",
  context: { calls: [] },
});

/** Several trees of threads, as they became durable. */
export class ForestJournal extends Grove implements Notes {
  override readonly filed: Filed[] = [];
  readonly keys = new Set<string>();
  readonly faults: string[] = [];
  /** Called with each commit once it is written. */
  onCommit: (commit: ThreadCommit) => void = () => {};
  readonly #pages = new Map<ThreadId, Page>();

  constructor(roots: readonly ThreadId[]) {
    super();
    for (const root of roots) this.#pages.set(root, pageOf(nothingStored(), null));
  }

  override get threads(): readonly ThreadId[] {
    return [...this.#pages.keys()];
  }

  override fold(threadId: ThreadId): Page {
    const page = this.#pages.get(threadId);
    if (!page) throw new Error(`there is no thread ${threadId}`);
    return page;
  }

  has(threadId: string): threadId is ThreadId {
    return this.#pages.has(threadId as ThreadId);
  }

  took(deliveries: readonly Delivery[], acceptances: readonly Acceptance[]): void {
    for (const [index, { threadId, key }] of deliveries.entries()) {
      const acceptance = acceptances[index];
      if (acceptance?.status !== "accepted") continue;
      const name = `${threadId} ${key}`;
      if (this.keys.has(name)) this.faults.push(`R2: ${name} was accepted twice`);
      this.keys.add(name);
      this.#file(threadId, acceptance);
    }
  }

  wrote(commit: ThreadCommit, sent: readonly Acceptance[]): void {
    const { stored, commits } = this.fold(commit.threadId);
    applyCommit(stored, commit);
    commits.push(commit);
    for (const born of commit.children.opened) this.#pages.set(born.threadId, pageOf(bornWith(born), born.opening));
    for (const [index, { threadId }] of commit.sent.entries()) this.#file(threadId, sent[index]);
    this.onCommit(commit);
  }

  marked(threadId: ThreadId, calls: readonly CallId[], status: CallStatus): void {
    const { stored, started } = this.fold(threadId);
    if (status === "started") for (const callId of calls) started.add(callId);
    stored.calls = stored.calls.map((call) => (calls.includes(call.callId) ? { ...call, status } : call));
  }

  #file(threadId: ThreadId, acceptance: Acceptance | undefined): void {
    if (acceptance?.status !== "accepted") return;
    this.filed.push({ threadId, waiting: acceptance.waiting });
    this.fold(threadId).stored.inbox.push(acceptance.waiting);
  }

  /** What the store itself says is what was given to it. */
  async faultsOfStore(store: Store): Promise<string[]> {
    const faults: string[] = [];
    for (const threadId of this.threads) {
      const { stored, opening } = this.fold(threadId);
      const loaded = await store.load(threadId);
      const told = [
        loaded?.version,
        loaded?.record,
        loaded?.opening,
        loaded?.calls.map(({ callId }) => callId),
        loaded?.subscriptions.map(({ callId }) => callId),
        loaded?.children,
        loaded?.inbox.map(({ seq }) => seq),
        await store.history(threadId),
      ];
      const given = [
        stored.version,
        stored.record,
        opening,
        stored.calls.map(({ callId }) => callId),
        stored.subscriptions.map(({ callId }) => callId),
        stored.children,
        stored.inbox.map(({ seq }) => seq),
        stored.history,
      ];
      for (const [index, value] of told.entries())
        if (JSON.stringify(sorted(value)) !== JSON.stringify(sorted(given[index])))
          faults.push(`the store says of ${threadId} ${JSON.stringify(value)}, given ${JSON.stringify(given[index])}`);
    }
    return faults;
  }
}

/** With the fields of objects in one order, and calls by position whenever they were made. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.every((item) => typeof item === "string") ? [...value].sort() : value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, sorted(item)]),
  );
};
