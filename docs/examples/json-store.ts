import { readFileSync, renameSync, writeFileSync } from "node:fs";
import {
  type Acceptance,
  type Delivery,
  deliveryOf,
  type Fact,
  type FeedItem,
  type LoadedThread,
  newRecord,
  roomFor,
  type Store,
  StoreClosedError,
  StoreError,
  type ThreadId,
  type ThreadSpec,
  type Timer,
} from "wakeful";

type Changeable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A thread as it stands in the file. */
type Row = Changeable<Omit<LoadedThread, "inbox">> & {
  inbox: LoadedThread["inbox"][number][];
  history: Awaited<ReturnType<Store["history"]>>[number][];
  seen: string[];
  seq: number;
};
type ThreadTimer = Timer & { readonly threadId: ThreadId };
interface State {
  threads: Record<string, Row>;
  feed: FeedItem[];
  timers: ThreadTimer[];
}

const statuses = ["proposed", "committed", "started", "acknowledged"];
const without = <T>(list: readonly T[], gone: (item: T) => boolean): T[] => list.filter((item) => !gone(item));
const withNew = <T>(list: readonly T[], items: readonly T[], same: (a: T, b: T) => boolean): T[] => [
  ...list.map((item) => items.find((other) => same(other, item)) ?? item),
  ...items.filter((item) => !list.some((other) => same(item, other))),
];

/** A store in one JSON file, which is written anew with each change: for a handful of threads, and to be read. */
export const jsonStore = (file: string): Store => {
  let state: State = { threads: {}, feed: [], timers: [] };
  try {
    state = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  let closed = false;
  const open = (): void => {
    if (closed) throw new StoreClosedError("the JSON store was used");
  };
  /** All of a change or nothing: it is made to a copy, which takes the place of the file and then of the state. */
  const change = <T>(make: (next: State) => T): T => {
    open();
    const next = structuredClone(state);
    const result = make(next);
    writeFileSync(`${file}.new`, JSON.stringify(next), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    state = next;
    return result;
  };
  const tell = ({ feed }: State, threadId: string, at: number, facts: readonly Fact[]): number => {
    const first = (feed.at(-1)?.feed ?? 0) + 1;
    for (const [index, fact] of facts.entries()) feed.push({ ...fact, threadId, at, feed: first + index });
    return first;
  };
  const launch = (next: State, threadId: ThreadId, spec: ThreadSpec, opening: Row["opening"] = null): Row => {
    const nothing = {
      calls: [],
      subscriptions: [],
      choices: [],
      views: [],
      children: [],
      inbox: [],
      history: [],
      seen: [],
    };
    const row = { threadId, spec, opening, version: 0, record: newRecord, seq: 0, ...structuredClone(nothing) };
    next.threads[threadId] = row;
    return row;
  };
  const accept = (next: State, delivery: Delivery, inboxLimit: number): Acceptance => {
    const row = next.threads[delivery.threadId];
    if (!row) return { status: "refused", reason: "unknown-thread" };
    if (row.seen.includes(delivery.key)) return { status: "duplicate" };
    if (row.record.state === "closed") return { status: "refused", reason: "thread-closed" };
    if (row.inbox.length >= roomFor(delivery.input, inboxLimit)) return { status: "refused", reason: "inbox-full" };
    const { dedupId, input, at, key, facts } = delivery;
    const waiting = { seq: ++row.seq, dedupId, input, at };
    row.inbox.push(waiting);
    row.seen.push(key);
    return { status: "accepted", waiting, feed: tell(next, delivery.threadId, at, facts) };
  };
  const place = (row: Row, entries: Row["history"]): void => {
    for (const placed of entries) {
      if (row.history.some(({ position }) => position === placed.position))
        throw new StoreError(`position ${placed.position} of thread ${row.threadId} has an entry already`);
      row.history.push(placed);
    }
    row.history.sort((a, b) => a.position - b.position);
  };
  const isDue = ({ record, calls, subscriptions }: Row): boolean =>
    record.roundDue ||
    calls.some(({ status, form }) => form !== "builtin" && (status === "committed" || status === "started")) ||
    subscriptions.some(({ form }) => form === "subscribe");

  return {
    async create(threadId, spec) {
      open();
      if (state.threads[threadId]) return false;
      change((next) => launch(next, threadId, spec));
      return true;
    },
    accept: async (deliveries, { inboxLimit }) =>
      change((next) => deliveries.map((delivery) => accept(next, structuredClone(delivery), inboxLimit))),
    async load(threadId) {
      open();
      const row = state.threads[threadId];
      if (!row) return undefined;
      const { history: _, seen: __, seq: ___, ...thread } = structuredClone(row);
      return { ...thread, calls: [...thread.calls].sort((a, b) => a.position - b.position) };
    },
    async history(threadId, { from = 0, to = Number.POSITIVE_INFINITY } = {}) {
      open();
      const entries = state.threads[threadId]?.history ?? [];
      return structuredClone(entries.filter(({ position }) => position >= from && position < to));
    },
    commit: async (given, at) => {
      open();
      const commit = structuredClone(given);
      const { threadId, calls, subscriptions, choices, children } = commit;
      const version = state.threads[threadId]?.version;
      if (version === undefined) throw new StoreError(`there is no thread ${threadId} to commit to`);
      if (version !== commit.expectedVersion) return { status: "stale", version };
      return change((next) => {
        const row = next.threads[threadId] as Row;
        const { entries: mended = [], removed = [] } = commit.repair ?? {};
        const gone = new Set([...mended.map(({ position }) => position), ...removed]);
        row.history = without(row.history, ({ position }) => gone.has(position));
        place(row, [...mended]);
        place(row, [...commit.entries]);
        row.inbox = without(row.inbox, ({ seq }) => commit.consumed.includes(seq)).map((waiting) =>
          commit.interrupting.includes(waiting.seq) ? { ...waiting, interrupts: true as const } : waiting,
        );
        const approved = row.calls.map((call) =>
          call.status === "proposed" && calls.approved?.includes(call.callId)
            ? { ...call, status: "committed" as const }
            : call,
        );
        const settled = (of: { readonly callId: string | null }) => calls.settled.includes(of.callId as never);
        row.calls = without([...approved, ...calls.made], settled);
        const ended = ({ callId }: { readonly callId: string }) => subscriptions.ended.includes(callId as never);
        const active = [...subscriptions.opened, ...subscriptions.moved];
        row.subscriptions = without(
          withNew(row.subscriptions, active, (a, b) => a.callId === b.callId),
          ended,
        );
        const asked = [...(choices?.opened ?? []), ...(choices?.moved ?? [])];
        row.choices = without(
          withNew(row.choices, asked, (a, b) => a.choiceId === b.choiceId),
          settled,
        );
        row.views = withNew(row.views, commit.views ?? [], (a, b) => a.viewType === b.viewType).sort((a, b) =>
          a.viewType < b.viewType ? -1 : 1,
        );
        if (commit.record)
          next.timers = without(next.timers, (own) => own.threadId === threadId && own.callId === null);
        for (const timer of commit.timers) {
          const isSame = (other: ThreadTimer) =>
            other.threadId === threadId && other.callId === timer.callId && other.purpose === timer.purpose;
          next.timers = [...without(next.timers, isSame), { ...timer, threadId }];
        }
        next.timers = without(next.timers, (timer) => timer.threadId === threadId && settled(timer));
        if (commit.record) row.record = commit.record;
        row.version++;
        const feed = tell(next, threadId, at, commit.facts);
        for (const born of children.opened) {
          if (next.threads[born.threadId]) throw new StoreError(`there is a thread ${born.threadId} already`);
          const child = launch(next, born.threadId, row.spec, born.opening);
          child.record = born.record;
          place(child, [...born.entries]);
          tell(next, born.threadId, at, born.facts);
        }
        const opened = children.opened.map(({ threadId: id, opening: { kind, source } }) => ({
          threadId: id,
          kind,
          source,
          rested: false,
        }));
        const moved = row.children.map(
          (child) => children.moved.find((other) => other.threadId === child.threadId) ?? child,
        );
        row.children = without([...moved, ...opened], (child) => children.ended.includes(child.threadId));
        const sent = commit.sent.map((envelope) => accept(next, deliveryOf(envelope, at), Number.POSITIVE_INFINITY));
        return { status: "committed" as const, version: row.version, feed, sent };
      });
    },
    mark: async (threadId, calls, status) =>
      change((next) => {
        const row = next.threads[threadId];
        if (!row) return;
        const isBehind = (call: Row["calls"][number]) => statuses.indexOf(call.status) < statuses.indexOf(status);
        row.calls = row.calls.map((call) =>
          calls.includes(call.callId) && isBehind(call) ? { ...call, status } : call,
        );
      }),
    async timers({ after, until, threadId }) {
      open();
      const due = state.timers.filter((timer) => timer.due > after && timer.due <= until);
      return structuredClone(due.filter((timer) => threadId === undefined || timer.threadId === threadId)).sort(
        (a, b) => a.due - b.due,
      );
    },
    async nextTimer(after) {
      open();
      return state.timers
        .map(({ due }) => due)
        .filter((due) => due > after)
        .sort((a, b) => a - b)[0];
    },
    async feed({ after, limit, threadId }) {
      open();
      const facts = state.feed.filter(
        (fact) => fact.feed > after && (threadId === undefined || fact.threadId === threadId),
      );
      return structuredClone(facts.slice(0, limit));
    },
    async threads({ state: wanted, parent, withWork = false, after = "", limit = Number.POSITIVE_INFINITY } = {}) {
      open();
      const rows = Object.values(state.threads).sort((a, b) => (a.threadId < b.threadId ? -1 : 1));
      const summaries = rows.map((row) => ({
        threadId: row.threadId,
        parent: row.opening?.parent ?? null,
        state: row.record.state,
        waiting: row.inbox.length,
        due: isDue(row),
        ...(row.record.quarantined && { quarantined: row.record.quarantined }),
        ...(row.record.restarts > 0 && { restarts: row.record.restarts }),
      }));
      return summaries
        .filter(({ threadId }) => threadId > after)
        .filter(
          (one) => (wanted === undefined || one.state === wanted) && (parent === undefined || one.parent === parent),
        )
        .filter(({ waiting, due }) => !withWork || waiting > 0 || due)
        .slice(0, limit);
    },
    async close() {
      closed = true;
    },
  };
};
