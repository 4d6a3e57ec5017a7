import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { OptionError, StoreError, StoreFileError } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/logger.ts";
import { openFile } from "../../../src/store/sqlite/open.ts";
import { sqliteStore, storeOn } from "../../../src/store/sqlite/sqlite-store.ts";
import {
  alpha,
  beta,
  commitOf,
  deliver,
  everythingOf,
  roomy,
  spec,
  user,
  waitingIn,
} from "../../../src/testing/store/material.ts";
import { type VirtualClock, virtualClock } from "../../../src/testing/virtual-clock.ts";
import { emptyStore, quick } from "./files.ts";

const toClose: (() => void)[] = [];
afterEach(() => {
  for (const close of toClose.splice(0)) close();
});

/** A store with a thread, and its own connection and clock to interfere with. */
const storeWithThread = async (busyTimeout = 0, clock: VirtualClock = virtualClock()) => {
  const file = await emptyStore();
  const opened = openFile(file, { synchronous: "normal", busyTimeout, logger: silentLogger });
  const store = storeOn(opened, { busyTimeout, clock });
  toClose.push(() => void store.close());
  await store.create(alpha, spec, 1);
  return { file, store, connection: opened.connection };
};

/** Another program on the same file. */
const other = (file: string): DatabaseSync => {
  const connection = new DatabaseSync(file);
  toClose.push(() => connection.close());
  return connection;
};

describe("a disk that is full", () => {
  it("in the middle of a commit keeps nothing of it, and the thread goes on when there is room (R7)", async () => {
    const { store, connection } = await storeWithThread();
    await store.accept([deliver(alpha, "a")], roomy);
    const before = await everythingOf(store);
    const pages = (connection.prepare("PRAGMA page_count").get() as { page_count: number }).page_count;
    connection.exec(`PRAGMA max_page_count = ${pages + 1}`);
    const large = commitOf(alpha, 0, { entries: [user(0), user(1, "x".repeat(50_000))], consumed: [1] });
    const failure = { code: "STORE_FULL", message: expect.stringMatching(/Nothing of this write was kept/) };
    await expect(store.commit(large, 2)).rejects.toMatchObject(failure);
    await expect(store.commit(large, 2)).rejects.toThrow(StoreFileError);
    expect(await everythingOf(store)).toEqual(before);
    connection.exec("PRAGMA max_page_count = 1000000");
    expect(await store.commit(large, 2)).toMatchObject({ status: "committed", version: 1 });
  });

  it("accepts nothing of an accept (S1)", async () => {
    const { store, connection } = await storeWithThread();
    connection.exec("PRAGMA max_page_count = 1");
    const large = { kind: "text", text: "x".repeat(50_000), sender: "user", whileBusy: "wait" } as const;
    const given = [deliver(alpha, "a"), deliver(alpha, "b", large)];
    await expect(store.accept(given, roomy)).rejects.toMatchObject({ code: "STORE_FULL" });
    expect(await waitingIn(store, alpha)).toEqual([]);
  });
});

describe("a file that another process holds", () => {
  it("rejects what writes after the busy timeout; reading goes on", async () => {
    const { file, store } = await storeWithThread();
    other(file).exec("BEGIN IMMEDIATE");
    await expect(store.accept([deliver(alpha, "a")], roomy)).rejects.toMatchObject({ code: "STORE_LOCKED", file });
    await expect(store.commit(commitOf(alpha, 0), 1)).rejects.toThrow(/longer busyTimeout/);
    expect(await store.load(alpha)).toMatchObject({ version: 0, inbox: [] });
  });

  it("lets what writes wait, and go on when it is free", async () => {
    const clock = virtualClock();
    const { file, store } = await storeWithThread(1_000, clock);
    const blocker = other(file);
    blocker.exec("BEGIN IMMEDIATE");
    const accepting = store.accept([deliver(alpha, "a")], roomy);
    await clock.advance(500);
    blocker.exec("ROLLBACK");
    await clock.advance(50);
    expect(await accepting).toMatchObject([{ status: "accepted" }]);
  });

  it("is given up after the busy timeout, not before", async () => {
    const clock = virtualClock();
    const { file, store } = await storeWithThread(1_000, clock);
    other(file).exec("BEGIN IMMEDIATE");
    let failure: unknown;
    store.mark(alpha, [], "started").catch((error) => {
      failure = error;
    });
    await clock.advance(999);
    expect(failure).toBeUndefined();
    await clock.advance(1);
    expect(failure).toMatchObject({ code: "STORE_LOCKED" });
  });

  it("rejects what still waits when the store is closed", async () => {
    const clock = virtualClock();
    const { file, store } = await storeWithThread(1_000, clock);
    other(file).exec("BEGIN IMMEDIATE");
    const accepting = expect(store.accept([deliver(alpha, "a")], roomy)).rejects.toMatchObject({
      code: "STORE_CLOSED",
    });
    await store.close();
    await clock.advance(50);
    await accepting;
  });

  it("is not opened when it is held for good", async () => {
    const file = await emptyStore();
    other(file).exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    expect(() => sqliteStore(file, { ...quick, busyTimeout: 0 })).toThrow(
      expect.objectContaining({ code: "STORE_LOCKED", file }),
    );
  });
});

describe("a value that cannot be read", () => {
  const facts = (positions: readonly number[]) =>
    positions.map((position) => ({ type: "entry.added" as const, position, entry: user(position).entry }));

  /** alpha has three entries, of two commits, the middle one damaged; beta has none. */
  const damaged = async (body: string) => {
    const { store, connection } = await storeWithThread();
    await store.create(beta, spec, 1);
    const [first, second, third] = [user(0), user(1), user(2)];
    const added = facts([0, 1, 2]);
    const entryOf = (position: number) => added[position]?.entry as (typeof first)["entry"];
    await store.commit(commitOf(alpha, 0, { entries: [{ ...first, entry: entryOf(0) }], facts: added.slice(0, 1) }), 1);
    await store.commit(
      commitOf(alpha, 1, {
        entries: [
          { ...second, entry: entryOf(1) },
          { ...third, entry: entryOf(2) },
        ],
        facts: added.slice(1),
      }),
      1,
    );
    await store.accept([deliver(beta, "b")], roomy);
    connection.prepare("UPDATE entry SET body = ? WHERE position = 1").run(body);
    return { store, connection };
  };

  it("is left out of the history, or told as far as it can be read, and given as it is by rows", async () => {
    for (const body of ["{", "null", '{"kind":"user","at":1}', '{"kind":"turn","at":1,"parts":[{"type":"call"}]}']) {
      const { store } = await damaged(body);
      expect((await store.history(alpha)).map(({ position }) => position)).toEqual([0, 2]);
      expect((await store.rows?.(alpha))?.[1]).toEqual({ position: 1, damaged: body });
      expect(await waitingIn(store, beta)).toEqual(["b"]);
    }
    const { store } = await damaged('{"kind":"user","at":1,"text":"cut of');
    expect((await store.history(alpha))[1]).toMatchObject({ position: 1, entry: { kind: "user", text: "cut of" } });
  });

  it("ends a page of the feed before it; behind it the feed goes on", async () => {
    const { store } = await damaged("{");
    const page = await store.feed({ after: 0, limit: 10 });
    expect(page.map(({ feed }) => feed)).toEqual([1]);
    const reading = store.feed({ after: 1, limit: 10 });
    await expect(reading).rejects.toMatchObject({ threadId: alpha, position: 1 });
    await expect(reading).rejects.toThrow(/after: 2\b/);
    expect((await store.feed({ after: 2, limit: 10 })).map(({ feed }) => feed)).toEqual([3, 4]);
  });

  it("in an inbox, a call or a record keeps its thread from being loaded, and no other", async () => {
    const { store, connection } = await storeWithThread();
    await store.create(beta, spec, 1);
    await store.accept([deliver(alpha, "a"), deliver(beta, "b")], roomy);
    connection.exec(`UPDATE input SET body = '{"dedupId":"a","input":{"kind":"gossip"}}' WHERE seq = 1`);
    await expect(store.load(alpha)).rejects.toMatchObject({ code: "STORE_CORRUPT", threadId: alpha });
    expect(await store.load(beta)).toMatchObject({ inbox: [{ dedupId: "b" }] });
    connection.exec("UPDATE thread SET record = '{}' WHERE name = 'suite/beta'");
    await expect(store.load(beta)).rejects.toThrow(/the record of thread suite\/beta/);
  });
});

describe("misuse", () => {
  it("of options is refused with the option's name", () => {
    const wrong = [
      ["", {}, /file/],
      ["a\0b", {}, /file/],
      [":memory:", { synchronous: "off" }, /synchronous/],
      [":memory:", { busyTimeout: -1 }, /busyTimeout/],
      [":memory:", { busyTimeout: Number.NaN }, /busyTimeout/],
    ] as const;
    for (const [file, options, message] of wrong) {
      const open = () => sqliteStore(file, { ...quick, ...(options as object) });
      expect(open).toThrow(OptionError);
      expect(open).toThrow(message);
    }
  });

  it("of a commit says which thread it was for, and which position is taken", async () => {
    const { store } = await storeWithThread();
    await expect(store.commit(commitOf(beta, 0), 1)).rejects.toThrow(StoreError);
    const doubled = commitOf(alpha, 0, { entries: [user(3), user(3)] });
    await expect(store.commit(doubled, 1)).rejects.toThrow(/position 3 of thread suite\/alpha/);
  });
});
