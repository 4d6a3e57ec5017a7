import { copyFileSync, existsSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { SharedStore } from "../../../src/store/store.ts";
import { alpha, commitOf, deliver, everythingOf, roomy, spec, user } from "../../../src/testing/store/material.ts";
import { copyOf, emptyStore, freshFile, quick } from "./files.ts";

const open: SharedStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

const opened = (file: string): SharedStore => {
  const store = sqliteStore(file, quick);
  open.push(store);
  return store;
};

/** A store in use: some commits, some inputs that wait, all of it in the -wal file still. */
const inUse = async () => {
  const file = await emptyStore();
  const store = opened(file);
  await store.create(alpha, spec, 1);
  const goOn = async (number: number) => {
    await store.accept([deliver(alpha, `input ${number}`)], roomy);
    await store.commit(commitOf(alpha, number, { entries: [user(number)] }), 2);
  };
  await goOn(0);
  return { file, store, goOn };
};

/** As docs/durability.md says it. */
const vacuumInto = (file: string, copy: string): void => {
  const connection = new DatabaseSync(file);
  connection.prepare("VACUUM INTO ?").run(copy);
  connection.close();
};

describe("a backup", () => {
  it("that SQLite makes while the store is in use holds one moment, and is a store", async () => {
    const { file, store, goOn } = await inUse();
    const copy = freshFile();
    const then = await everythingOf(store);
    vacuumInto(file, copy);
    await goOn(1);
    const backup = opened(copy);
    expect(await everythingOf(backup)).toEqual(then);
    expect(await everythingOf(store)).not.toEqual(then);
    await goOn(2);
    expect(await backup.commit(commitOf(alpha, 1, { entries: [user(1)] }), 3)).toMatchObject({ status: "committed" });
  });

  it("of the file and its -wal file holds everything, when nobody writes; the file alone does not", async () => {
    const { file, store } = await inUse();
    const copy = copyOf(file);
    const alone = freshFile();
    copyFileSync(file, alone);
    expect(await everythingOf(opened(copy))).toEqual(await everythingOf(store));
    expect(await opened(alone).load(alpha)).toBeUndefined();
  });

  it("is put back in place of the file once the -wal and -shm files beside that are gone", async () => {
    const { file, store, goOn } = await inUse();
    const copy = freshFile();
    const then = await everythingOf(store);
    vacuumInto(file, copy);
    await goOn(1);
    // What a process leaves that was killed: its -wal file belongs to the file that is to go.
    const left = copyOf(file);
    expect(existsSync(`${left}-wal`)).toBe(true);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(left + suffix, { force: true });
    copyFileSync(copy, left);
    expect(await everythingOf(opened(left))).toEqual(then);
  });
});
