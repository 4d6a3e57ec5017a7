import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { silentLogger } from "../../../src/logger.ts";
import { openFile } from "../../../src/store/sqlite/open.ts";
import { type Migration, migrate, migrations, versionOf } from "../../../src/store/sqlite/schema.ts";
import { sqliteStore, storeOn } from "../../../src/store/sqlite/sqlite-store.ts";
import { alpha, everythingOf, spec } from "../../../src/testing/store/material.ts";
import { emptyStore, freshFile, quick } from "./files.ts";

const toClose: DatabaseSync[] = [];
afterEach(() => {
  for (const connection of toClose.splice(0)) connection.close();
});
const connectionTo = (file: string): DatabaseSync => {
  const connection = new DatabaseSync(file);
  toClose.push(connection);
  return connection;
};

const addsColumn: Migration = (connection) => connection.exec("ALTER TABLE thread ADD COLUMN colour TEXT");
const fails: Migration = (connection) => {
  connection.exec("DROP TABLE entry");
  throw new Error("no");
};

describe("the schema", () => {
  it("is brought up to date step by step, each step once, and keeps what is stored", async () => {
    const file = await emptyStore();
    const store = sqliteStore(file, quick);
    await store.create(alpha, spec, 1);
    const before = await everythingOf(store);
    await store.close();
    const connection = connectionTo(file);
    expect(migrate(connection, [...migrations, addsColumn])).toBe(migrations.length);
    expect(migrate(connection, [...migrations, addsColumn])).toBe(migrations.length + 1);
    expect(versionOf(connection)).toBe(migrations.length + 1);
    connection.exec(`PRAGMA user_version = ${migrations.length}`);
    const again = sqliteStore(file, quick);
    expect(await everythingOf(again)).toEqual(before);
    await again.close();
  });

  it("is left as it was when a step fails", async () => {
    const connection = connectionTo(await emptyStore());
    expect(() => migrate(connection, [...migrations, addsColumn, fails])).toThrow("no");
    expect(versionOf(connection)).toBe(migrations.length);
    expect(connection.prepare("SELECT count(*) AS n FROM entry").get()).toEqual({ n: 0 });
    expect(() => connection.prepare("SELECT colour FROM thread")).toThrow();
  });

  it("says in the log that it changed, and only then", () => {
    const said: object[] = [];
    const logger = { ...silentLogger, info: (fields: object) => said.push(fields) };
    const file = freshFile();
    const options = { synchronous: "normal", busyTimeout: 0, logger } as const;
    for (let each = 0; each < 2; each++) openFile(file, options).connection.close();
    expect(said).toEqual([{ file, from: 0, to: migrations.length }]);
  });

  it("is not written to when it is up to date", async () => {
    const file = await emptyStore();
    const before = readFileSync(file);
    await sqliteStore(file, quick).close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("is written in WAL mode, and waits for the disk as it was asked to", () => {
    const settings = (synchronous: "full" | "normal") => {
      const { connection } = openFile(freshFile(), { synchronous, busyTimeout: 0, logger: silentLogger });
      toClose.push(connection);
      return ["journal_mode", "synchronous"].map((name) => connection.prepare(`PRAGMA ${name}`).get()?.[name]);
    };
    expect(settings("full")).toEqual(["wal", 2]);
    expect(settings("normal")).toEqual(["wal", 1]);
  });
});

/** How SQLite will go about the statements that a store prepares; `SCAN` is a walk over a whole table. */
const plansOf = (file: string): Map<string, string> => {
  const plans = new Map<string, string>();
  const { connection } = openFile(file, { synchronous: "normal", busyTimeout: 0, logger: silentLogger });
  toClose.push(connection);
  const prepare = connection.prepare.bind(connection);
  connection.prepare = (sql: string) => {
    if (/^\s*(SELECT|UPDATE|DELETE)/.test(sql)) {
      const values = [...new Set(sql.match(/\?\d*/g) ?? [])].length;
      const rows = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array.from({ length: values }, () => 1));
      plans.set(sql, rows.map((row) => String(row.detail)).join("\n"));
    }
    return prepare(sql);
  };
  storeOn({ file, connection }, { busyTimeout: 0, clock: { now: () => 0, setTimeout() {}, clearTimeout() {} } });
  return plans;
};

describe("with 100,000 threads at rest", () => {
  it("no statement walks over a table that grows", async () => {
    const plans = plansOf(await emptyStore());
    expect(plans.size).toBeGreaterThan(20);
    const walks = [...plans].filter(([, plan]) =>
      /SCAN (thread|entry|input|feed|seen|timer|call|spec)\b(?! USING (COVERING )?INDEX (call_due|thread_round_due))/.test(
        plan,
      ),
    );
    expect(walks.map(([sql, plan]) => `${sql}\n${plan}`)).toEqual([]);
  });

  it("the threads with work are found, and the others not looked at", async () => {
    const file = await emptyStore();
    const connection = connectionTo(file);
    connection.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO thread (id, name, version, state, round_due) SELECT i, 'rests/' || i, 1, 'idle', i = 777 FROM n`);
    const store = sqliteStore(file, quick);
    const found = await store.threads({ withWork: true });
    expect(found).toEqual([{ threadId: "rests/777" as ThreadId, parent: null, state: "idle", waiting: 0, due: true }]);
    await store.close();
  });
});
