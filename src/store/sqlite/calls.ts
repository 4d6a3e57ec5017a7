import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Call, CallStatus, Subscription, ThreadCommit, Timer } from "../../../machines/thread/commit.ts";
import type { Database } from "./database.ts";
import { rankOf, readRow, StoredCall, StoredSubscription, statusOf } from "./rows.ts";

/** What is outstanding: calls, their timers, subscriptions. Rows come and go with what they stand for (S7, S9). */
export interface Calls {
  /** Inside a `write`: the part of a commit that concerns calls. */
  apply(thread: number, commit: Pick<ThreadCommit, "calls" | "subscriptions" | "timers" | "record">): void;
  /** Inside a `write`: moves forward what is not there yet. */
  mark(threadId: ThreadId, calls: readonly CallId[], status: CallStatus): void;
  /** By position. */
  outstanding(thread: number, threadId: ThreadId): Call[];
  /** In the order they were opened. */
  subscriptions(thread: number, threadId: ThreadId): Subscription[];
  /** With `after < due <= until`, soonest first; of one instant, in the order they were set. */
  timers(after: number, until: number, of?: ThreadId): (Timer & { readonly threadId: ThreadId })[];
  nextTimer(after: number): number | undefined;
}

export const callsOn = (database: Database): Calls => {
  const make = database.prepare(
    "INSERT OR REPLACE INTO call (thread, id, position, status, due, body) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const settle = database.prepare("DELETE FROM call WHERE thread = ? AND id = ?");
  // A timer that is set anew gets a new number: it stands behind those set meanwhile.
  const arm = database.prepare("INSERT OR REPLACE INTO timer (thread, call, purpose, due) VALUES (?, ?, ?, ?)");
  const disarm = database.prepare("DELETE FROM timer WHERE thread = ? AND call = ?");
  const open = database.prepare(`
    INSERT INTO subscription (thread, id, due, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (thread, id) DO UPDATE SET body = excluded.body`);
  const end = database.prepare("DELETE FROM subscription WHERE thread = ? AND id = ?");
  const approve = database.prepare(
    `UPDATE call SET status = ${rankOf.committed}, due = 1 WHERE thread = ? AND id = ? AND status < ${rankOf.committed}`,
  );
  const move = database.prepare(`
    UPDATE call SET status = ?1, due = due AND ?1 < ${rankOf.acknowledged}
    WHERE thread = (SELECT id FROM thread WHERE name = ?2) AND id = ?3 AND status < ?1`);
  const calls = database.prepare<{ id: CallId; status: number; body: string }>(
    "SELECT id, status, body FROM call WHERE thread = ? ORDER BY position",
  );
  const subscriptions = database.prepare<{ id: CallId; body: string }>(
    "SELECT id, body FROM subscription WHERE thread = ? ORDER BY number",
  );
  const between = database.prepare<Timer & { threadId: ThreadId }>(`
    SELECT name AS threadId, nullif(call, '') AS callId, purpose, due FROM timer JOIN thread ON thread.id = timer.thread
    WHERE due > ? AND due <= ? ORDER BY due, number`);
  const ofThread = database.prepare<Timer & { threadId: ThreadId }>(`
    SELECT name AS threadId, call AS callId, purpose, due FROM thread CROSS JOIN timer ON timer.thread = thread.id
    WHERE due > ? AND due <= ? AND name = ? ORDER BY due, number`);
  const next = database.prepare<{ due: number }>("SELECT due FROM timer WHERE due > ? ORDER BY due LIMIT 1");

  return {
    apply(thread, commit) {
      for (const call of commit.calls.made) {
        const { callId, position, form, status } = call;
        const due = status !== "acknowledged" && status !== "proposed" && form !== "builtin" ? 1 : 0;
        make.run(thread, callId, position, rankOf[status], due, JSON.stringify(call));
      }
      for (const callId of commit.calls.approved ?? []) approve.run(thread, callId);
      if (commit.record) disarm.run(thread, "");
      for (const { callId, purpose, due } of commit.timers) arm.run(thread, callId ?? "", purpose, due);
      for (const callId of commit.calls.settled) {
        settle.run(thread, callId);
        disarm.run(thread, callId);
      }
      for (const subscription of [...commit.subscriptions.opened, ...commit.subscriptions.moved])
        open.run(thread, subscription.callId, subscription.form === "subscribe" ? 1 : 0, JSON.stringify(subscription));
      for (const callId of commit.subscriptions.ended) end.run(thread, callId);
    },
    mark(threadId, ids, status) {
      for (const callId of ids) move.run(rankOf[status], threadId, callId);
    },
    outstanding: (thread, threadId) =>
      calls.all(thread).map(({ id, status, body }) => {
        const where = { what: `call ${id}`, threadId };
        return readRow(database.file, StoredCall, body, where, { status: statusOf.get(status) });
      }),
    subscriptions: (thread, threadId) =>
      subscriptions
        .all(thread)
        .map(({ id, body }) =>
          readRow(database.file, StoredSubscription, body, { what: `subscription ${id}`, threadId }),
        ),
    timers: (after, until, of) =>
      (of === undefined ? between.all(after, until) : ofThread.all(after, until, of)).map((row) => ({ ...row })),
    nextTimer: (after) => next.get(after)?.due,
  };
};
