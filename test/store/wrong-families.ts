import type { ThreadId } from "../../machines/history/ids.ts";
import { dedupKeyOf } from "../../machines/thread/input.ts";
import { deliveryOf } from "../../src/store/delivery.ts";
import type { LoadedThread, Store } from "../../src/store/store.ts";
import { type WrongStore, wrong, wrongAfterReopening } from "./wrong-store.ts";

const unlimited = { inboxLimit: Number.POSITIVE_INFINITY };

/** Changes what `load` says of every thread. */
const loading = (right: Store, change: (loaded: LoadedThread) => LoadedThread): Partial<Store> => ({
  async load(threadId) {
    const loaded = await right.load(threadId);
    return loaded && change(loaded);
  },
});

/** Commits without the outbox, and files that by a second transaction, as `sendAll` does it. */
const sendingBy = (right: Store, sendAll: (...sent: Parameters<Store["accept"]>) => ReturnType<Store["accept"]>) =>
  ({
    commit: async (commit, at) => {
      const outcome = await right.commit({ ...commit, sent: [] }, at);
      if (outcome.status === "stale") return outcome;
      const deliveries = commit.sent.map((envelope) => deliveryOf(envelope, at));
      return { ...outcome, sent: await sendAll(deliveries, unlimited) };
    },
  }) satisfies Partial<Store>;

/** Stores that are wrong about children and what commits send: S13, S14, S15. */
export const wrongFamilies: readonly WrongStore[] = [
  wrong("sends what a stale commit sends", "opens and sends nothing with a commit that is stale", (right) => ({
    async commit(commit, at) {
      const outcome = await right.commit(commit, at);
      const deliveries = commit.sent.map((envelope) => deliveryOf(envelope, at));
      if (outcome.status === "stale") await right.accept(deliveries, unlimited);
      return outcome;
    },
  })),
  wrong("opens the child of a stale commit", "opens and sends nothing with a commit that is stale", (right) => ({
    async commit(commit, at) {
      const outcome = await right.commit(commit, at);
      const spec = { tools: [], instructions: "", metadata: {} };
      if (outcome.status === "stale")
        for (const { threadId } of commit.children.opened) await right.create(threadId, spec, at);
      return outcome;
    },
  })),
  wrong("sends first and commits then", "leaves nothing of a commit that opens a thread whose id is used", (right) => ({
    async commit(commit, at) {
      const { version } = (await right.load(commit.threadId)) ?? {};
      if (version !== commit.expectedVersion) return right.commit(commit, at);
      const { opened } = commit.children;
      const free = new Map(opened.map((child) => [child.threadId, child]));
      for (const { threadId } of opened) if (await right.load(threadId)) free.delete(threadId);
      const early = commit.sent.filter(({ threadId }) => !free.has(threadId));
      await right.accept(
        early.map((envelope) => deliveryOf(envelope, at)),
        unlimited,
      );
      return right.commit(commit, at);
    },
  })),
  wrong("takes an id that is used for the child's", "leaves nothing of a commit that opens a thread", (right) => ({
    async commit(commit, at) {
      const opened = [];
      for (const child of commit.children.opened) if (!(await right.load(child.threadId))) opened.push(child);
      return right.commit({ ...commit, children: { ...commit.children, opened } }, at);
    },
  })),
  wrong("leaves the child behind when entries clash", "leaves nothing of a commit whose entries clash", (right) => ({
    async commit(commit, at) {
      try {
        return await right.commit(commit, at);
      } catch (error) {
        const { threadId, expectedVersion, ...rest } = commit;
        const version = (await right.load(threadId))?.version ?? expectedVersion;
        await right.commit({ ...rest, threadId, expectedVersion: version, entries: [], sent: [] }, at).catch(() => {});
        throw error;
      }
    },
  })),
  wrong("files the outbox from behind", "keeps the order of what was accepted and what commits sent", (right) =>
    sendingBy(right, async (sent, limits) => (await right.accept(sent.toReversed(), limits)).toReversed()),
  ),
  wrong("takes no more from a commit than an inbox holds", "it passes no limit", (right) =>
    sendingBy(right, (sent) => right.accept(sent, { inboxLimit: 1_000 })),
  ),
  wrong("files what is sent under keys of its own", "takes a key once, whether it was accepted or sent", (right) =>
    sendingBy(right, (sent, limits) =>
      right.accept(
        sent.map((one) => ({ ...one, key: `sent ${one.key}` })),
        limits,
      ),
    ),
  ),
  wrong("forgets what was sent when it waits no more", "takes a key once, whether it was accepted or sent", (right) => {
    const consumed = new Set<string>();
    return {
      async commit(commit, at) {
        const { inbox = [] } = (await right.load(commit.threadId)) ?? {};
        const outcome = await right.commit(commit, at);
        if (outcome.status === "stale") return outcome;
        for (const { seq, dedupId, input } of inbox)
          if (commit.consumed.includes(seq)) consumed.add(dedupKeyOf({ threadId: commit.threadId, dedupId, input }));
        const sent = outcome.sent.map((acceptance, index) => {
          const envelope = commit.sent[index];
          if (!envelope || acceptance.status !== "duplicate" || !consumed.has(dedupKeyOf(envelope))) return acceptance;
          const { dedupId, input } = envelope;
          return { status: "accepted", waiting: { seq: 99, dedupId, input, at }, feed: 99 } as const;
        });
        return { ...outcome, sent };
      },
    };
  }),
  wrong("fails a commit whose receiver is gone", "is made when it sends to threads that are unknown", (right) => ({
    async commit(commit, at) {
      const opened = new Set(commit.children.opened.map(({ threadId }) => threadId));
      for (const { threadId } of commit.sent)
        if (!opened.has(threadId) && !(await right.load(threadId))) throw new Error(`there is no thread ${threadId}`);
      return right.commit(commit, at);
    },
  })),
  wrong("sends into threads that are closed", "is made when it sends to threads that are unknown", (right) => ({
    async commit(commit, at) {
      const outcome = await right.commit(commit, at);
      if (outcome.status === "stale") return outcome;
      const sent = outcome.sent.map((acceptance, index) => {
        const envelope = commit.sent[index];
        if (acceptance.status !== "refused" || acceptance.reason !== "thread-closed" || !envelope) return acceptance;
        const { dedupId, input } = envelope;
        return { status: "accepted", waiting: { seq: 99, dedupId, input, at }, feed: 99 } as const;
      });
      return { ...outcome, sent };
    },
  })),
  wrong("answers what was refused with nothing", "is made when it sends to threads that are unknown", (right) => ({
    async commit(commit, at) {
      const outcome = await right.commit(commit, at);
      if (outcome.status === "stale") return outcome;
      return { ...outcome, sent: outcome.sent.filter(({ status }) => status !== "refused") };
    },
  })),
  wrong("says when a thing was sent by a clock of its own", "files what a commit sends as an accept would", (right) =>
    sendingBy(right, (sent, limits) =>
      right.accept(
        sent.map((one) => ({ ...one, at: one.at + 1 })),
        limits,
      ),
    ),
  ),
  wrong("files what is sent before the child is there", "files what is sent to a thread that the same", (right) => ({
    async commit(commit, at) {
      const outcome = await right.commit(commit, at);
      if (outcome.status === "stale") return outcome;
      const opened = new Set(commit.children.opened.map(({ threadId }) => threadId));
      const sent = outcome.sent.map((acceptance, index) =>
        opened.has(commit.sent[index]?.threadId as ThreadId)
          ? ({ status: "refused", reason: "unknown-thread" } as const)
          : acceptance,
      );
      return { ...outcome, sent };
    },
  })),
  wrong("gives a child a spec of its own", "opens a child that loads as the commit made it", (right) =>
    loading(right, (loaded) =>
      loaded.opening ? { ...loaded, spec: { tools: [], instructions: "", metadata: {} } } : loaded,
    ),
  ),
  wrong("looks for a child's spec one thread up", "gives a child's child the spec of the root", (right) =>
    loading(right, (loaded) =>
      (loaded.opening?.stack.length ?? 0) > 1
        ? { ...loaded, spec: { tools: [], instructions: "", metadata: {} } }
        : loaded,
    ),
  ),
  wrong("gives a child what it inherits as its own history", "keeps the histories of parent and child", (right) => ({
    async history(threadId, { from = 0, to = 1_000 } = {}) {
      const { opening } = (await right.load(threadId)) ?? {};
      const own = await right.history(threadId, { from, to });
      if (!opening) return own;
      const inherited = await right.history(opening.parent, { from, to: Math.min(to, opening.position) });
      const places = new Set(own.map(({ position }) => position));
      return [...inherited.filter(({ position }) => !places.has(position)), ...own];
    },
  })),
  wrong("writes a child's facts into its parent's feed", "opens a child that loads as the commit made it", (right) => ({
    commit: (commit, at) =>
      right.commit(
        {
          ...commit,
          facts: [...commit.facts, ...commit.children.opened.flatMap(({ facts }) => facts)],
          children: {
            ...commit.children,
            opened: commit.children.opened.map((child) => ({ ...child, facts: [] })),
          },
        },
        at,
      ),
  })),
  wrong("moves the opening with the child", "changes neither spec nor opening of a child", (right) => {
    const moved = new Map<ThreadId, LoadedThread["children"][number]>();
    return {
      async commit(commit, at) {
        for (const child of commit.children.moved) moved.set(child.threadId, child);
        return right.commit(commit, at);
      },
      ...loading(right, (loaded) => {
        const { kind, source } = moved.get(loaded.threadId) ?? {};
        return loaded.opening && kind && source ? { ...loaded, opening: { ...loaded.opening, kind, source } } : loaded;
      }),
    };
  }),
  wrong("takes a child out with its end", "changes neither spec nor opening of a child", (right) => {
    const gone = new Set<ThreadId>();
    return {
      async commit(commit, at) {
        for (const threadId of commit.children.ended) gone.add(threadId);
        return right.commit(commit, at);
      },
      load: async (threadId) => (gone.has(threadId) ? undefined : right.load(threadId)),
    };
  }),
  wrong("lists children by id", "lists open children in the order they were opened", (right) =>
    loading(right, (loaded) => ({
      ...loaded,
      children: loaded.children.toSorted((a, b) => (a.threadId < b.threadId ? -1 : 1)),
    })),
  ),
  wrong("goes on listing what ended", "lists open children in the order they were opened", (right) => ({
    commit: (commit, at) => right.commit({ ...commit, children: { ...commit.children, ended: [] } }, at),
  })),
  wrong("puts a child that moves on behind the others", "keeps a child in its place when it moves on", (right) =>
    loading(right, (loaded) => ({
      ...loaded,
      children: loaded.children.toSorted((a, b) => Number(a.rested) - Number(b.rested)),
    })),
  ),
  wrong("takes a child for a thread that never did anything", "finds a child whose first round is due", (right) => ({
    commit: (commit, at) => {
      const opened = commit.children.opened.map((child) => ({
        ...child,
        record: { ...child.record, roundDue: false },
      }));
      return right.commit({ ...commit, children: { ...commit.children, opened } }, at);
    },
  })),
  wrong("lists all descendants as children", "lists the children of one thread", (right) => ({
    async threads({ parent, limit = 1_000, ...query } = {}) {
      if (!parent) return right.threads({ ...(parent === null && { parent }), limit, ...query });
      const found = [];
      for (const summary of await right.threads(query))
        if ((await right.load(summary.threadId))?.opening?.stack.includes(parent)) found.push(summary);
      return found.slice(0, limit);
    },
  })),
  wrong("lists no child that ended", "lists the children of one thread", (right) => ({
    async threads(query = {}) {
      const found = await right.threads(query);
      if (!query.parent) return found;
      const open = (await right.load(query.parent))?.children.map(({ threadId }) => threadId);
      return found.filter(({ threadId }) => open?.includes(threadId));
    },
  })),
  wrong("lists every thread as a root", "lists the children of one thread", (right) => ({
    threads: ({ parent, ...query } = {}) => right.threads(parent ? { ...query, parent } : query),
  })),
  wrongAfterReopening("forgets who opened a thread when it is opened anew", "finds families again", (right) =>
    loading(right, (loaded) => ({ ...loaded, opening: null })),
  ),
  wrongAfterReopening("forgets what was sent when it is opened anew", "finds what was sent again", (right) =>
    loading(right, (loaded) => ({ ...loaded, inbox: loaded.inbox.filter(({ input }) => input.kind !== "message") })),
  ),
];
