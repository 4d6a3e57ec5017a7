import { point } from "../../crash-points.ts";
import { StoreError } from "../../errors.ts";
import { deliveryOf } from "../delivery.ts";
import type { CommitOutcome, Store } from "../store.ts";
import type { Calls } from "./calls.ts";
import type { Children } from "./children.ts";
import type { Database } from "./database.ts";
import type { Feed } from "./feed.ts";
import type { History } from "./history.ts";
import type { Inbox } from "./inbox.ts";
import type { Leases } from "./leases.ts";
import type { Questions } from "./questions.ts";
import { sharedWithEntries } from "./shared-facts.ts";
import type { Threads } from "./threads.ts";

export interface Parts {
  readonly feed: Feed;
  readonly inbox: Inbox;
  readonly calls: Calls;
  readonly history: History;
  readonly threads: Threads;
  readonly children: Children;
  readonly questions: Questions;
  readonly leases: Leases;
}

/** Each operation of the contract as one transaction over the parts. The crash points before a commit are inside it. */
export const contractOn = (
  database: Database,
  { feed, inbox, calls, history, threads, children, questions, leases }: Parts,
): Store => ({
  async create(threadId, spec, at) {
    const what = `thread ${threadId} was created`;
    // Asked first without the lock for writing: most who create find what they create.
    if (await database.read(what, () => threads.find(threadId))) return false;
    const created = await database.write(what, () => threads.create(threadId, spec, at));
    if (created) point("created");
    return created;
  },

  async accept(deliveries, { inboxLimit }) {
    const acceptances = await database.write("inputs were accepted", () => {
      const filed = inbox.accept(deliveries, inboxLimit);
      point("accepting");
      return filed;
    });
    point("accepted");
    return acceptances;
  },

  load: (threadId) =>
    database.read(`thread ${threadId} was loaded`, () => {
      const thread = threads.read(threadId);
      if (!thread) return undefined;
      const { id, spec, version, record, opening } = thread;
      return {
        acceptedUpTo: inbox.last(),
        threadId,
        spec,
        version,
        record,
        calls: calls.outstanding(id, threadId),
        subscriptions: calls.subscriptions(id, threadId),
        choices: questions.choices(id, threadId),
        views: questions.views(id, threadId),
        inbox: inbox.waiting(id, threadId),
        opening,
        children: children.open(id, threadId),
      };
    }),

  history: (threadId, { from = 0, to = Number.POSITIVE_INFINITY } = {}) =>
    database.read(`the history of thread ${threadId} was read`, () => history.between(threadId, from, to)),

  rows: (threadId, { from = 0 } = {}) =>
    database.read(`the history of thread ${threadId} was read`, () => history.rows(threadId, from)),
  summary: (threadId, upTo) =>
    database.read(`a summary of thread ${threadId} was read`, () => history.summary(threadId, upTo)),
  setAside: (threadId) =>
    database.read(`what was set aside of thread ${threadId} was read`, () => history.setAside(threadId)),

  async commit(commit, at) {
    const { threadId, expectedVersion, entries, consumed, interrupting, record, facts } = commit;
    const outcome = await database.write(`thread ${threadId} committed`, (): CommitOutcome => {
      const thread = threads.find(threadId);
      if (!thread) throw new StoreError(`there is no thread ${threadId} to commit to; create it first.`);
      if (thread.version !== expectedVersion || leases.lost(threadId))
        return { status: "stale", version: thread.version };
      if (commit.summary) history.summarise(thread.id, commit.summary);
      if (commit.repair) history.repair(thread.id, commit.repair, at);
      history.add(thread.id, threadId, entries);
      inbox.consume(thread.id, consumed);
      inbox.interrupt(thread.id, interrupting);
      calls.apply(thread.id, commit);
      questions.apply(thread.id, commit);
      const version = threads.advance(thread, record);
      children.apply(thread.id, commit.children);
      const first = feed.append(thread.id, at, sharedWithEntries(facts, entries));
      for (const opened of commit.children.opened) {
        const child = threads.open(thread.id, opened);
        history.add(child, opened.threadId, opened.entries);
        feed.append(child, at, sharedWithEntries(opened.facts, opened.entries));
      }
      const deliveries = commit.sent.map((envelope) => deliveryOf(envelope, at));
      const sent = inbox.accept(deliveries, Number.POSITIVE_INFINITY);
      point("committing");
      return { status: "committed", version, feed: first, sent };
    });
    if (outcome.status === "committed") point("committed");
    return outcome;
  },

  treeUsage: (root) => database.read(`the usage of the tree of ${root} was read`, () => threads.treeUsage(root)),

  async mark(threadId, ids, status) {
    await database.write(`calls of thread ${threadId} were marked`, () => {
      const lost = leases.lost(threadId);
      if (lost)
        throw new StoreError(
          `the lease ${lost.name} is held by ${lost.by}: calls of thread ${threadId} are no more ours.`,
        );
      calls.mark(threadId, ids, status);
    });
    if (status === "acknowledged") point("acknowledged");
  },

  timers: ({ after, until, threadId }) => database.read("timers were read", () => calls.timers(after, until, threadId)),
  nextTimer: (after) => database.read("the next timer was read", () => calls.nextTimer(after)),
  feed: (query) => database.read("the feed was read", () => feed.read(query)),
  threads: (query = {}) => database.read("threads were listed", () => threads.list(query)),
  close: async () => database.close(),
});
