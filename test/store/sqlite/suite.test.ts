import { copyFileSync, existsSync } from "node:fs";
import { describe, it } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { storeSuite } from "../../../src/testing/store/suite.ts";
import { freshFile } from "./files.ts";

/** What a process that dies leaves: the file, and all that was committed in the -wal file beside it. */
const copyOf = (file: string): string => {
  const copy = freshFile();
  for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  return copy;
};

describe("the SQLite store in memory", () => {
  for (const { rule, name, check } of storeSuite(() => sqliteStore(":memory:"))) it(`${rule}: ${name}`, check);
});

describe("the SQLite store on a file, closed and opened anew", () => {
  const suite = storeSuite(() => {
    const file = freshFile();
    const store = sqliteStore(file);
    const reopen = async () => {
      await store.close();
      return sqliteStore(file);
    };
    return { store, reopen };
  });
  for (const { rule, name, check } of suite) it(`${rule}: ${name}`, check);
});

describe("the SQLite store on a file whose process died", () => {
  const suite = storeSuite(() => {
    const file = freshFile();
    const options = { synchronous: "normal" } as const;
    return { store: sqliteStore(file, options), reopen: async () => sqliteStore(copyOf(file), options) };
  });
  for (const { rule, name, check } of suite) it(`${rule}: ${name}`, check);
});
