import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { spec } from "../../../src/testing/store/material.ts";
import { freshFile, wakefulHere } from "../show/wakeful.ts";

const commands = [
  ["threads", ["threads"]],
  ["show", ["show", "t"]],
  ["send", ["send", "t", "hi"]],
] as const;

/** A file with a thread in it, of which `mend` changes bytes. */
const changed = async (change: (bytes: Buffer) => Buffer): Promise<string> => {
  const file = freshFile();
  const store = sqliteStore(file);
  await store.create("t" as never, spec, 1);
  await store.close();
  writeFileSync(file, change(readFileSync(file)));
  return file;
};

describe.each(commands)("wakeful %s", (_, args) => {
  const run = (db: string) => wakefulHere([...args, "--db", db]);

  it("does not make a database that is not there", async () => {
    const db = freshFile();
    const before = readdirSync(dirname(db));
    expect(await run(db)).toEqual({
      code: 2,
      out: "",
      err: `wakeful: The store ${db} is not there, or empty. Name the file in which a system keeps its threads.\n`,
    });
    expect(readdirSync(dirname(db))).toEqual(before);
  });

  it("leaves an empty file empty", async () => {
    const db = freshFile();
    writeFileSync(db, "");
    expect((await run(db)).code).toBe(2);
    expect(statSync(db).size).toBe(0);
  });

  it.each([
    [
      "another program's file",
      async () => changed(() => Buffer.from("not a database, and long enough to be one".repeat(40))),
      /is another program's file/,
    ],
    ["a file that was cut short", async () => changed((bytes) => bytes.subarray(0, 8_192)), /is damaged/],
    [
      "a folder",
      async () => {
        const folder = freshFile();
        mkdirSync(folder);
        return folder;
      },
      /is a folder/,
    ],
  ])("says of %s in one line what is wrong with it, with 2, and leaves it as it is", async (_, make, said) => {
    const db = await make();
    const before = statSync(db).isFile() ? readFileSync(db) : undefined;
    const { code, out, err } = await run(db);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(err).toMatch(said);
    expect(statSync(db).isFile() ? readFileSync(db) : undefined).toEqual(before);
    expect(existsSync(`${db}-wal`)).toBe(false);
  });

  it("takes no name that SQLite reads in another way", async () => {
    expect((await run(":memory:")).err).toMatch(/^wakeful: The store .*:memory: is not there/);
    expect(existsSync(":memory:")).toBe(false);
  });
});

it("what is damaged is said in one line that does nothing to the terminal", async () => {
  const db = await changed((bytes) => bytes);
  const database = new DatabaseSync(db);
  const words = "'running' || char(27) || '[2J' || char(155) || '31m'";
  database.exec(`UPDATE thread SET state = ${words}, record = json_object('state', ${words})`);
  database.close();
  const { code, out, err } = await wakefulHere(["threads", "--db", db]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^ {2}cannot be read: The store .* is damaged: the record of thread t cannot be read \(/m);
  expect(out.includes("\u001b") || out.includes("\u009b")).toBe(false);
});

it("wakeful show says what of a thread is damaged, and shows nothing of it", async () => {
  const db = await changed((bytes) =>
    Buffer.from(bytes.toString("latin1").replace('"Be brief."', '"Be\u001b[2J  ."'), "latin1"),
  );
  const { code, out, err } = await wakefulHere(["show", "t", "--db", db]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^wakeful: The store .* is damaged: the spec of thread t cannot be read .*\n$/);
});
