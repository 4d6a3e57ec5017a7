import type { ThreadId } from "../../../machines/history/ids.ts";
import { roomFor } from "../../../machines/thread/input.ts";
import { point } from "../../crash-points.ts";
import { StoreClosedError, StoreError } from "../../errors.ts";
import { deliveryOf } from "../delivery.ts";
import type { Acceptance, Delivery, Store, ThreadSummary } from "../store.ts";
import { feedLog, readFacts } from "./feed-log.ts";
import { idList } from "./id-list.ts";
import {
  addInput,
  applyCommit,
  checkCommit,
  childRow,
  entriesBetween,
  loadedOf,
  moveCalls,
  newRow,
  summaryOf,
  type ThreadRow,
} from "./thread-row.ts";
import { timerIndex } from "./timer-index.ts";
import { usageBelow } from "./tree-usage.ts";

/**
 * A store that lives as long as this object: a second system on it finds everything the first one had committed or
 * accepted, as after a restart. It survives no end of the process. Each operation costs what it brings, not what the
 * thread has behind it. Nothing is ever taken out: histories, keys and the feed grow with use, so it is for tests, trials and
 * short-lived work. Values are neither copied nor frozen; lists that are handed out are the reader's own.
 * Calls after `close()` reject with StoreClosedError.
 */
export const memoryStore = (): Store => {
  const rows = new Map<ThreadId, ThreadRow>();
  const feed = feedLog();
  const timers = timerIndex();
  const [all, roots] = [idList(), idList()];
  let closed = false;

  const stillOpen = (what: string): void => {
    if (closed) throw new StoreClosedError(what);
  };

  const add = (row: ThreadRow): ThreadRow => {
    rows.set(row.threadId, row);
    all.add(row.threadId);
    return row;
  };

  const acceptOne = (delivery: Delivery, inboxLimit: number): Acceptance => {
    const row = rows.get(delivery.threadId);
    if (!row) return { status: "refused", reason: "unknown-thread" };
    if (row.seen.has(delivery.key)) return { status: "duplicate" };
    if (row.record.state === "closed") return { status: "refused", reason: "thread-closed" };
    if (row.inbox.size >= roomFor(delivery.input, inboxLimit)) return { status: "refused", reason: "inbox-full" };
    const waiting = addInput(row, delivery);
    const accepted = { status: "accepted", waiting, feed: feed.append(row, delivery.at, delivery.facts) } as const;
    const behind = waiting.seq - 1;
    return row.inbox.has(behind) ? { ...accepted, behind } : accepted;
  };

  /** Undefined for the children of a thread that does not exist. */
  const listOf = (parent: ThreadId | null | undefined) => {
    if (parent === undefined) return all;
    return parent === null ? roots : rows.get(parent)?.offspring;
  };

  return {
    async create(threadId, spec, _at) {
      stillOpen(`thread ${threadId} was created`);
      if (rows.has(threadId)) return false;
      add(newRow(threadId, spec));
      roots.add(threadId);
      point("created");
      return true;
    },

    async accept(deliveries, { inboxLimit }) {
      stillOpen("inputs were accepted");
      point("accepting");
      const acceptances = deliveries.map((delivery) => acceptOne(delivery, inboxLimit));
      point("accepted");
      return acceptances;
    },

    async load(threadId) {
      stillOpen(`thread ${threadId} was loaded`);
      const row = rows.get(threadId);
      return row && loadedOf(row);
    },

    async history(threadId, { from = 0, to = Number.POSITIVE_INFINITY } = {}) {
      stillOpen(`the history of thread ${threadId} was read`);
      const row = rows.get(threadId);
      return row ? entriesBetween(row, from, to) : [];
    },

    async summary(threadId, upTo) {
      stillOpen(`a summary of thread ${threadId} was read`);
      return rows.get(threadId)?.summaries.get(upTo);
    },

    async setAside(threadId) {
      stillOpen(`what was set aside of thread ${threadId} was read`);
      return rows.get(threadId)?.setAside.toSorted((a, b) => a.position - b.position) ?? [];
    },

    async commit(commit, at) {
      const { threadId, expectedVersion } = commit;
      stillOpen(`thread ${threadId} committed`);
      const row = rows.get(threadId);
      if (!row) throw new StoreError(`there is no thread ${threadId} to commit to; create it first.`);
      if (row.version !== expectedVersion) return { status: "stale", version: row.version };
      point("committing");
      checkCommit(row, commit, (id) => rows.has(id));
      applyCommit(row, commit, at);
      if (commit.record) timers.clear(threadId);
      for (const timer of commit.timers) timers.set(threadId, timer);
      for (const callId of commit.calls.settled) timers.clear(callId);
      const first = feed.append(row, at, commit.facts);
      for (const opened of commit.children.opened) {
        feed.append(add(childRow(row, opened)), at, opened.facts);
        row.offspring.add(opened.threadId);
      }
      const sent = commit.sent.map((envelope) => acceptOne(deliveryOf(envelope, at), Number.POSITIVE_INFINITY));
      point("committed");
      return { status: "committed", version: row.version, feed: first, sent };
    },

    async treeUsage(root) {
      stillOpen(`the usage of the tree of ${root} was read`);
      return usageBelow(rows, root);
    },

    async mark(threadId, calls, status) {
      stillOpen(`calls of thread ${threadId} were marked`);
      const row = rows.get(threadId);
      if (row) moveCalls(row, calls, status);
      if (status === "acknowledged") point("acknowledged");
    },

    async timers({ after, until, threadId }) {
      stillOpen("timers were read");
      const due = timers.between(after, until);
      return threadId === undefined ? due : due.filter((timer) => timer.threadId === threadId);
    },

    async nextTimer(after) {
      stillOpen("the next timer was read");
      return timers.next(after);
    },

    async feed({ after, limit, threadId }) {
      stillOpen("the feed was read");
      const passages = threadId === undefined ? feed.passages : (rows.get(threadId)?.passages ?? []);
      return readFacts(passages, after, limit);
    },

    async threads({ state, parent, withWork = false, after = "", limit = Number.POSITIVE_INFINITY } = {}) {
      stillOpen("threads were listed");
      const found: ThreadSummary[] = [];
      for (const threadId of listOf(parent)?.behind(after) ?? []) {
        if (found.length >= limit) break;
        const summary = summaryOf(rows.get(threadId) as ThreadRow);
        if (state !== undefined && summary.state !== state) continue;
        if (withWork && summary.waiting === 0 && !summary.due) continue;
        found.push(summary);
      }
      return found;
    },

    async close() {
      closed = true;
    },
  };
};
