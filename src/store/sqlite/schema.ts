import type { DatabaseSync } from "node:sqlite";

/** Stands in the header of every file that is ours ("WAKE"), so that files of other programs are told apart. */
export const applicationId = 0x57_41_4b_45;

/** Takes a database from the version of its own index to the next. */
export type Migration = (connection: DatabaseSync) => void;

/**
 * What is appended (`input`, `seen`, `entry`, `feed`, `spec`) is never changed and never taken out, so numbers that grow
 * with it are never given again. What is outstanding (`inbox`, `call`, `subscription`, `timer`) is short and comes and goes.
 *
 * - `thread.id` stands for the thread's name everywhere else. `record` is null until the first commit that brings one.
 * - `input.seq` is the `seq` of the contract; it grows over all threads, so it also serves as a cursor of acceptance.
 * - `timer.call` is empty for a timer of the thread itself.
 * - `call.due` is 1 while the call waits to be handed over or is at work in a process, `subscription.due` while its producer
 *   is. With `inbox` and `thread.round_due` they tell which threads a process has to take up, without a look at those that
 *   rest.
 * - `feed` has one row for the facts that became durable together: `first` is the position of the first, `facts` their
 *   number. What a fact shares with an input or an entry is not in it (see shared-facts.ts).
 */
const first: Migration = (connection) =>
  connection.exec(`
    CREATE TABLE thread (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, state TEXT NOT NULL,
      round_due INTEGER NOT NULL, record TEXT
    ) STRICT;
    CREATE INDEX thread_round_due ON thread (id) WHERE round_due;
    CREATE TABLE spec (thread INTEGER PRIMARY KEY, created REAL NOT NULL, body TEXT NOT NULL) STRICT;

    CREATE TABLE input (
      seq INTEGER PRIMARY KEY, thread INTEGER NOT NULL, at REAL NOT NULL, body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE seen (thread INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (thread, key)) STRICT, WITHOUT ROWID;
    CREATE TABLE inbox (
      thread INTEGER NOT NULL, seq INTEGER NOT NULL, interrupts INTEGER NOT NULL, PRIMARY KEY (thread, seq)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE entry (
      id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, position INTEGER NOT NULL, body TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX entry_place ON entry (thread, position);

    CREATE TABLE call (
      thread INTEGER NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, status INTEGER NOT NULL,
      due INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (thread, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX call_due ON call (thread) WHERE due;
    CREATE TABLE subscription (
      number INTEGER PRIMARY KEY, thread INTEGER NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (thread, id)
    ) STRICT;
    CREATE TABLE timer (
      number INTEGER PRIMARY KEY, thread INTEGER NOT NULL, call TEXT NOT NULL, purpose TEXT NOT NULL, due REAL NOT NULL,
      UNIQUE (thread, call, purpose)
    ) STRICT;
    CREATE INDEX timer_due ON timer (due);

    CREATE TABLE feed (
      first INTEGER PRIMARY KEY, facts INTEGER NOT NULL, thread INTEGER NOT NULL, at REAL NOT NULL, body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX feed_thread ON feed (thread);

    CREATE TABLE lease (
      name TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL, ttl REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
  `);

/** A producer lives in a process: when that ends, the thread has to be taken up. Calls at work had been left out as well. */
const producers: Migration = (connection) =>
  connection.exec(`
    ALTER TABLE subscription ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
    UPDATE subscription SET due = 1 WHERE json_extract(body, '$.form') = 'subscribe';
    CREATE INDEX subscription_due ON subscription (thread) WHERE due;
    UPDATE call SET due = 1 WHERE status < 3 AND json_extract(body, '$.form') <> 'builtin';
  `);

/**
 * Families. `thread.parent` is null for a root; with the name it lists the children of a thread, or the roots, in order.
 * `opening` is appended like `spec`, which a child has none of: `root` is the thread whose spec it has. `child` is what a
 * thread keeps of those it opened, until their end is in its history.
 */
const families: Migration = (connection) =>
  connection.exec(`
    ALTER TABLE thread ADD COLUMN parent INTEGER;
    CREATE INDEX thread_parent ON thread (parent, name);
    CREATE TABLE opening (thread INTEGER PRIMARY KEY, root INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
    CREATE TABLE child (
      number INTEGER PRIMARY KEY, thread INTEGER NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (thread, id)
    ) STRICT;
  `);

/**
 * Questions to people, and what tools show. A call that waits for approval has status 0, which no call had before.
 * `choice` goes with its call; of a type there is one `view`.
 */
const questions: Migration = (connection) =>
  connection.exec(`
    CREATE TABLE choice (
      number INTEGER PRIMARY KEY, thread INTEGER NOT NULL, id TEXT NOT NULL, call TEXT NOT NULL, body TEXT NOT NULL,
      UNIQUE (thread, id)
    ) STRICT;
    CREATE INDEX choice_call ON choice (thread, call);
    CREATE TABLE view (
      thread INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (thread, type)
    ) STRICT, WITHOUT ROWID;
  `);

/** Rows of histories as they were before a repair. */
const repairs: Migration = (connection) =>
  connection.exec(`
    CREATE TABLE set_aside (
      number INTEGER PRIMARY KEY, thread INTEGER NOT NULL, position INTEGER NOT NULL, body TEXT NOT NULL, at REAL NOT NULL
    ) STRICT;
    CREATE INDEX set_aside_thread ON set_aside (thread, position);
  `);

/** What stands in requests for the beginning of a view. */
const summaries: Migration = (connection) =>
  connection.exec(`
    CREATE TABLE summary (
      thread INTEGER NOT NULL, up_to INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (thread, up_to)
    ) STRICT, WITHOUT ROWID;
  `);

/** The threads of a tree, for what they have used together. */
const trees: Migration = (connection) => connection.exec("CREATE INDEX opening_root ON opening (root);");

/** By the version they start from; a version of the schema is the number of steps behind it. Steps are only ever added. */
export const migrations: readonly Migration[] = [first, producers, families, questions, repairs, summaries, trees];

export const applicationIdOf = (connection: DatabaseSync): number =>
  (connection.prepare("PRAGMA application_id").get() as { application_id: number }).application_id;

export const versionOf = (connection: DatabaseSync): number =>
  (connection.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;

/**
 * Takes the steps that the database has not taken yet: all of them or, when one throws, none. Another process that does
 * the same at the same time waits and finds them taken. Returns the version it came from. Fails for a file that can only be
 * read also when there is nothing to do: better now than at the first input.
 */
export const migrate = (connection: DatabaseSync, steps: readonly Migration[] = migrations): number => {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const from = versionOf(connection);
    for (const step of steps.slice(from)) step(connection);
    connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${Math.max(from, steps.length)};`);
    connection.exec(from < steps.length ? "COMMIT" : "ROLLBACK");
    return from;
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw error;
  }
};
