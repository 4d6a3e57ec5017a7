import { describe, it } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { storeSuite } from "../../../src/testing/store/suite.ts";
import { copyOf, emptyStore, quick } from "./files.ts";

describe("the SQLite store in memory", () => {
  for (const { rule, name, check } of storeSuite(() => sqliteStore(":memory:", quick))) it(`${rule}: ${name}`, check);
});

describe("the SQLite store on a file, closed and opened anew", () => {
  const suite = storeSuite(async () => {
    const file = await emptyStore();
    const store = sqliteStore(file, quick);
    const reopen = async () => {
      await store.close();
      return sqliteStore(file, quick);
    };
    return { store, reopen };
  });
  for (const { rule, name, check } of suite) it(`${rule}: ${name}`, check);
});

describe("the SQLite store on a file whose process died", () => {
  const suite = storeSuite(async () => {
    const file = await emptyStore();
    return { store: sqliteStore(file, quick), reopen: async () => sqliteStore(copyOf(file), quick) };
  });
  for (const { rule, name, check } of suite) it(`${rule}: ${name}`, check);
});
