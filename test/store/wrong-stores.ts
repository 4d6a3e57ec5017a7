import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import type { CallStatus, Timer } from "../../machines/thread/commit.ts";
import type { ThreadSpec } from "../../src/store/store.ts";
import { wrongFamilies } from "./wrong-families.ts";
import { wrongQuestions } from "./wrong-questions.ts";
import { type WrongStore, wrong, wrongAfterReopening } from "./wrong-store.ts";
import { wrongUsage } from "./wrong-usage.ts";

export const wrongStores: readonly WrongStore[] = [
  wrong("forgets a key when its input is consumed", "knows a key after its input was consumed", (right) => {
    const keys = new Map<number, string>();
    const forgotten = new Set<string>();
    return {
      async accept(deliveries, limits) {
        const renamed = deliveries.map((one) => ({ ...one, key: forgotten.has(one.key) ? `${one.key}'` : one.key }));
        const acceptances = await right.accept(renamed, limits);
        for (const [index, acceptance] of acceptances.entries())
          if (acceptance.status === "accepted") keys.set(acceptance.waiting.seq, deliveries[index]?.key ?? "");
        return acceptances;
      },
      async commit(commit, at) {
        for (const seq of commit.consumed) forgotten.add(keys.get(seq) ?? "");
        return right.commit(commit, at);
      },
    };
  }),
  wrong("compares dedup ids without kind and sender", "keeps apart equal dedup ids", (right) => ({
    accept: (deliveries, limits) =>
      right.accept(
        deliveries.map((one) => ({ ...one, key: one.dedupId })),
        limits,
      ),
  })),
  wrong("keeps one summary", "keeps summaries beside the history", (right) => {
    let last = "";
    return {
      commit(commit, at) {
        last = commit.summary?.text ?? last;
        return right.commit(commit, at);
      },
      summary: async () => last,
    };
  }),
  wrong("mends no history", "mends a history by a commit", (right) => ({
    commit: ({ repair: _, ...commit }, at) => right.commit(commit, at),
  })),
  wrong("lists a thread without its deaths", "tells which threads are set aside", (right) => ({
    threads: async (query) =>
      (await right.threads(query)).map(({ threadId, parent, state, waiting, due }) => ({
        threadId,
        parent,
        state,
        waiting,
        due,
      })),
  })),
  wrong("remembers the key of what it refused", "refuses what an inbox has no room for", (right) => {
    const refused = new Set<string>();
    return {
      async accept(deliveries, limits) {
        const acceptances = await right.accept(deliveries, limits);
        return acceptances.map((acceptance, index) => {
          const key = deliveries[index]?.key ?? "";
          if (refused.has(key)) return { status: "duplicate" };
          if (acceptance.status === "refused") refused.add(key);
          return acceptance;
        });
      },
    };
  }),
  wrong("takes more than an inbox holds", "refuses what an inbox has no room for", (right) => ({
    accept: (deliveries) => right.accept(deliveries, { inboxLimit: 1_000 }),
  })),
  wrong("refuses a full inbox's redelivery", "tells a full inbox's redelivery", (right) => ({
    async accept(deliveries, limits) {
      const acceptances = await right.accept(deliveries, limits);
      return acceptances.map((acceptance) =>
        acceptance.status === "duplicate" ? { status: "refused", reason: "inbox-full" } : acceptance,
      );
    },
  })),
  wrong(
    "names what waits no more as right in front of an input",
    "names the input that waits right in front",
    (right) => {
      const last = new Map<string, number>();
      return {
        async accept(deliveries, limits) {
          const acceptances = await right.accept(deliveries, limits);
          return acceptances.map((acceptance, index) => {
            if (acceptance.status !== "accepted") return acceptance;
            const threadId = deliveries[index]?.threadId ?? "";
            const behind = last.get(threadId);
            last.set(threadId, acceptance.waiting.seq);
            return behind === undefined ? acceptance : { ...acceptance, behind };
          });
        },
      };
    },
  ),
  wrong("says that it has read what comes later", "has not read what it accepts later", (right) => ({
    async load(threadId) {
      const loaded = await right.load(threadId);
      return loaded && { ...loaded, acceptedUpTo: (loaded.acceptedUpTo ?? 0) + 2 };
    },
  })),
  wrong("takes inputs of one accept in the opposite order", "answers each delivery of one accept", (right) => ({
    accept: async (deliveries, limits) => (await right.accept(deliveries.toReversed(), limits)).toReversed(),
  })),
  wrong("lets an accept fail as a whole when one is refused", "takes the others of an accept", (right) => ({
    async accept(deliveries, limits) {
      for (const { threadId } of deliveries)
        if (!(await right.load(threadId)))
          return deliveries.map(() => ({ status: "refused", reason: "unknown-thread" }));
      return right.accept(deliveries, limits);
    },
  })),
  wrong("loses the order of what waits", "keeps the order of what waits", (right) => ({
    async load(threadId) {
      const loaded = await right.load(threadId);
      return (
        loaded && { ...loaded, inbox: loaded.inbox.toSorted((a, b) => Number(!!b.interrupts) - Number(!!a.interrupts)) }
      );
    },
  })),
  wrong("loses the mark of an interrupting text", "applies everything that a commit holds", (right) => ({
    commit: (commit, at) => right.commit({ ...commit, interrupting: [] }, at),
  })),
  wrong("takes a commit for an older version", "refuses a commit of another version", (right) => ({
    async commit(commit, at) {
      const { version = 0 } = (await right.load(commit.threadId)) ?? {};
      return right.commit({ ...commit, expectedVersion: Math.max(version, commit.expectedVersion) }, at);
    },
  })),
  wrong("counts acceptances in the version", "counts commits in the version", (right) => {
    let accepted = 0;
    return {
      async accept(deliveries, limits) {
        accepted += deliveries.length;
        return right.accept(deliveries, limits);
      },
      async load(threadId) {
        const loaded = await right.load(threadId);
        return loaded && { ...loaded, version: loaded.version + accepted };
      },
    };
  }),
  wrong("leaves half a commit behind when its entries clash", "rejects a commit whose entry would take", (right) => ({
    async commit(commit, at) {
      try {
        return await right.commit(commit, at);
      } catch (error) {
        await right.commit({ ...commit, entries: [] }, at).catch(() => {});
        throw error;
      }
    },
  })),
  wrong("leaves the facts of a stale commit in the feed", "refuses a commit of another version", (right) => {
    const extra: number[] = [];
    return {
      async commit(commit, at) {
        const outcome = await right.commit(commit, at);
        if (outcome.status === "stale") extra.push(...commit.facts.map(() => at));
        return outcome;
      },
      async feed(query) {
        const items = await right.feed(query);
        const last = items.at(-1);
        return last && extra.length > 0 ? [...items, { ...last, feed: last.feed + 1 }] : items;
      },
    };
  }),
  wrong("forgets the record when a commit brings none", "keeps the record when a commit brings none", (right) => ({
    async commit(commit, at) {
      const { record } = (await right.load(commit.threadId)) ?? {};
      return right.commit({ ...commit, record: commit.record ?? (record ? { ...record, turns: 0 } : null) }, at);
    },
  })),
  wrong("gives the history in the order of the commits", "puts a result that comes late at its place", (right) => {
    const histories = new Map<ThreadId, PlacedEntry[]>();
    return {
      async commit(commit, at) {
        const outcome = await right.commit(commit, at);
        const history = histories.get(commit.threadId) ?? [];
        if (outcome.status === "committed") histories.set(commit.threadId, [...history, ...commit.entries]);
        return outcome;
      },
      async history(threadId, { from = 0, to = 1_000 } = {}) {
        const history = histories.get(threadId) ?? [];
        return history.filter(({ position }) => from <= position && position < to);
      },
    };
  }),
  wrong("includes the end of a range", "reads a range of the history", (right) => ({
    history: (threadId, { from = 0, to = 1_000 } = {}) => right.history(threadId, { from, to: to + 1 }),
  })),
  wrong("repeats the fact at the cursor", "is read in pages of any size", (right) => ({
    feed: (query) => right.feed({ ...query, after: query.after - 1 }),
  })),
  wrong("skips facts of others in pages of one thread", "is read in pages of any size", (right) => ({
    async feed({ after, limit, threadId }) {
      const page = await right.feed({ after, limit });
      return page.filter((item) => threadId === undefined || item.threadId === threadId);
    },
  })),
  wrong("numbers the feed by thread", "gives facts positions that only grow", (right) => ({
    async feed(query) {
      const counts = new Map<string, number>();
      return (await right.feed(query)).map((item) => {
        const feed = (counts.get(item.threadId) ?? 0) + 1;
        counts.set(item.threadId, feed);
        return { ...item, feed };
      });
    },
  })),
  wrong("tells a commit the position of its last fact", "tells acceptances and commits the position", (right) => ({
    async commit(commit, at) {
      const outcome = await right.commit(commit, at);
      return outcome.status === "stale" ? outcome : { ...outcome, feed: outcome.feed + commit.facts.length - 1 };
    },
  })),
  wrong("keeps the timers of settled calls", "clears the timers of a call with the call", (right) => {
    const timers: (Timer & { threadId: ThreadId })[] = [];
    return {
      async commit(commit, at) {
        timers.push(...commit.timers.map((timer) => ({ ...timer, threadId: commit.threadId })));
        return right.commit(commit, at);
      },
      timers: async ({ after, until }) =>
        timers.filter(({ due }) => after < due && due <= until).sort((a, b) => a.due - b.due),
    };
  }),
  wrong("keeps a thread's own timer", "takes the thread's own timer away", (right) => {
    const own = new Map<ThreadId, Timer>();
    return {
      async commit(commit, at) {
        for (const timer of commit.timers) if (timer.callId === null) own.set(commit.threadId, timer);
        const kept = own.get(commit.threadId);
        return right.commit(commit.record && kept ? { ...commit, timers: [kept, ...commit.timers] } : commit, at);
      },
    };
  }),
  wrong("leaves out what is due at the end of a window", "lists what is due after one instant", (right) => ({
    timers: ({ after, until }) => right.timers({ after, until: until - 1 }),
  })),
  wrong("lists timers of all threads for one", "lists the timers of one thread alone", (right) => ({
    timers: ({ after, until }) => right.timers({ after, until }),
  })),
  wrong("hands each timer out once", "keeps a timer that was read", (right) => {
    const read = new Set<CallId | null>();
    return {
      async timers(query) {
        const timers = (await right.timers(query)).filter(({ callId }) => !read.has(callId));
        for (const { callId } of timers) read.add(callId);
        return timers;
      },
    };
  }),
  wrong("names an overdue instant as the next", "names the soonest instant", (right) => ({
    nextTimer: () => right.nextTimer(Number.NEGATIVE_INFINITY),
  })),
  wrong("moves a call's status back", "moves a call's status forward", (right) => {
    const marks = new Map<CallId, CallStatus>();
    return {
      async mark(_, calls, status) {
        for (const callId of calls) marks.set(callId, status);
      },
      async load(threadId) {
        const loaded = await right.load(threadId);
        const calls = loaded?.calls.map((call) => ({ ...call, status: marks.get(call.callId) ?? call.status }));
        return loaded && { ...loaded, calls: calls ?? [] };
      },
    };
  }),
  wrong("overwrites a thread that is created again", "creates a thread once", (right) => {
    const specs = new Map<ThreadId, ThreadSpec>();
    return {
      async create(threadId, spec, at) {
        specs.set(threadId, spec);
        return right.create(threadId, spec, at);
      },
      async load(threadId) {
        const loaded = await right.load(threadId);
        return loaded && { ...loaded, spec: specs.get(threadId) ?? loaded.spec };
      },
    };
  }),
  wrong("creates a thread for an input", "refuses an input for a thread that does not exist", (right) => ({
    async accept(deliveries, limits) {
      const spec = { tools: [], instructions: "", metadata: {} };
      for (const { threadId } of deliveries) await right.create(threadId, spec, 1);
      return right.accept(deliveries, limits);
    },
  })),
  wrong("begins a page with the thread it should begin behind", "lists threads in pages of any size", (right) => ({
    async threads({ after, limit = 1_000, ...query } = {}) {
      const all = await right.threads(query);
      return all.filter(({ threadId }) => after === undefined || threadId >= after).slice(0, limit);
    },
  })),
  wrong("lists threads as a dictionary does", "lists threads by id, ascending by code units", (right) => ({
    threads: async (query) => (await right.threads(query)).toSorted((a, b) => a.threadId.localeCompare(b.threadId)),
  })),
  wrong("sees no work in calls to hand over", "finds every thread to take up", (right) => ({
    threads: async (query) => (await right.threads(query)).filter(({ waiting }) => !query?.withWork || waiting > 0),
  })),
  wrong("forgets what a process works at when it looks for work", "finds every thread to take up", (right) => ({
    async threads(query) {
      const found = await right.threads(query);
      if (!query?.withWork) return found;
      const calls = await Promise.all(found.map(async ({ threadId }) => (await right.load(threadId))?.calls ?? []));
      return found.filter((_, index) => !calls[index]?.some(({ status }) => status === "started"));
    },
  })),
  wrong("hands out the list it keeps", "hands out lists that are the reader's own", (right) => {
    const kept = new Map<ThreadId, PlacedEntry[]>();
    return {
      async history(threadId, range) {
        const history = kept.get(threadId) ?? [...(await right.history(threadId, range))];
        if (history.length > 0 && !range) kept.set(threadId, history);
        return history;
      },
    };
  }),
  wrong("goes on after it was closed", "rejects every call after it was closed", () => ({ close: async () => {} })),
  wrongAfterReopening("forgets keys when it is opened anew", "knows keys, numbers, versions", (right) => ({
    accept: (deliveries, limits) =>
      right.accept(
        deliveries.map((one) => ({ ...one, key: `${one.key}'` })),
        limits,
      ),
  })),
  wrongAfterReopening("forgets marks when it is opened anew", "finds everything again", (right) => ({
    async load(threadId) {
      const loaded = await right.load(threadId);
      return loaded && { ...loaded, calls: loaded.calls.map((call) => ({ ...call, status: "committed" as const })) };
    },
  })),
  wrongAfterReopening("loses what was accepted and not consumed", "finds everything again", (right) => ({
    async load(threadId) {
      const loaded = await right.load(threadId);
      return loaded && { ...loaded, inbox: [] };
    },
  })),
  ...wrongFamilies,
  ...wrongQuestions,
  ...wrongUsage,
];
