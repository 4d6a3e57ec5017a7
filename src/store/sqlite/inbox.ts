import type { ThreadId } from "../../../machines/history/ids.ts";
import { roomFor, type WaitingInput } from "../../../machines/thread/input.ts";
import type { Acceptance, Delivery } from "../store.ts";
import type { Database } from "./database.ts";
import type { Feed } from "./feed.ts";
import { readRow, StoredInput } from "./rows.ts";
import { sharedWithInput } from "./shared-facts.ts";

/** Inputs that wait, and the keys of all that ever came (S1, S2, S4). */
export interface Inbox {
  /** Inside a `write`: files what is new, in the order given. */
  accept(deliveries: readonly Delivery[], inboxLimit: number): Acceptance[];
  /** Inside a `write`. */
  consume(thread: number, seqs: readonly number[]): void;
  /** Inside a `write`. */
  interrupt(thread: number, seqs: readonly number[]): void;
  /** In the order of acceptance. */
  waiting(thread: number, threadId: ThreadId): WaitingInput[];
  /** The `seq` of the last input of all threads, 0 when there is none. */
  last(): number;
  /** Threads in which inputs wait that were accepted after `seq`, by name. */
  threadsBehind(seq: number): ThreadId[];
}

/** Inputs in an inbox, and the `seq` of the last of them. */
interface Waiting {
  readonly waiting: number;
  readonly last: number | null;
}

export const inboxOn = (database: Database, feed: Feed): Inbox => {
  const find = database.prepare<{ id: number; state: string }>("SELECT id, state FROM thread WHERE name = ?");
  const known = database.prepare<{ known: 1 }>("SELECT 1 AS known FROM seen WHERE thread = ? AND key = ?");
  const remember = database.prepare("INSERT INTO seen (thread, key) VALUES (?, ?)");
  const count = database.prepare<Waiting>("SELECT count(*) AS waiting, max(seq) AS last FROM inbox WHERE thread = ?");
  const file = database.prepare("INSERT INTO input (thread, at, body) VALUES (?, ?, ?)");
  const wait = database.prepare("INSERT INTO inbox (thread, seq, interrupts) VALUES (?, ?, 0)");
  const remove = database.prepare("DELETE FROM inbox WHERE thread = ? AND seq = ?");
  const mark = database.prepare("UPDATE inbox SET interrupts = 1 WHERE thread = ? AND seq = ?");
  const inputs = database.prepare<{ seq: number; interrupts: number; at: number; body: string }>(`
    SELECT inbox.seq, interrupts, at, body FROM inbox JOIN input ON input.seq = inbox.seq
    WHERE inbox.thread = ? ORDER BY inbox.seq`);
  const newest = database.prepare<{ seq: number | null }>("SELECT max(seq) AS seq FROM input");
  // CROSS JOIN keeps the order: from the new inputs, which are few, to the rest.
  const behind = database.prepare<{ name: ThreadId }>(`
    SELECT DISTINCT name FROM input
    CROSS JOIN inbox ON inbox.thread = input.thread AND inbox.seq = input.seq
    CROSS JOIN thread ON thread.id = input.thread
    WHERE input.seq > ? ORDER BY name`);

  /** `inboxes`: what waits in the threads of this accept, looked up once for each. */
  const acceptOne = (delivery: Delivery, inboxLimit: number, inboxes: Map<number, Waiting>): Acceptance => {
    const { threadId, dedupId, input, at, key, facts } = delivery;
    const thread = find.get(threadId);
    if (!thread) return { status: "refused", reason: "unknown-thread" };
    if (known.get(thread.id, key)) return { status: "duplicate" };
    if (thread.state === "closed") return { status: "refused", reason: "thread-closed" };
    const { waiting, last } = inboxes.get(thread.id) ?? count.get(thread.id) ?? { waiting: 0, last: null };
    if (waiting >= roomFor(input, inboxLimit)) return { status: "refused", reason: "inbox-full" };
    remember.run(thread.id, key);
    const seq = Number(file.run(thread.id, at, JSON.stringify({ dedupId, input })).lastInsertRowid);
    wait.run(thread.id, seq);
    inboxes.set(thread.id, { waiting: waiting + 1, last: seq });
    const first = feed.append(thread.id, at, sharedWithInput(facts, { dedupId, input }, seq));
    const accepted = { status: "accepted", waiting: { seq, dedupId, input, at }, feed: first } as const;
    return last === null ? accepted : { ...accepted, behind: last };
  };

  return {
    accept(deliveries, inboxLimit) {
      const inboxes = new Map<number, Waiting>();
      return deliveries.map((delivery) => acceptOne(delivery, inboxLimit, inboxes));
    },
    consume(thread, seqs) {
      for (const seq of seqs) remove.run(thread, seq);
    },
    interrupt(thread, seqs) {
      for (const seq of seqs) mark.run(thread, seq);
    },
    waiting: (thread, threadId) =>
      inputs.all(thread).map(({ seq, interrupts, at, body }) => {
        const { dedupId, input } = readRow(database.file, StoredInput, body, { what: `input ${seq}`, threadId });
        return { seq, dedupId, input, at, ...(interrupts === 1 && { interrupts: true as const }) };
      }),
    last: () => newest.get()?.seq ?? 0,
    threadsBehind: (seq) => behind.all(seq).map(({ name }) => name),
  };
};
