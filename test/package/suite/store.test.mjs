// @ts-nocheck: the store is copied beside this file, where it is installed.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { storeSuite } from "wakeful/testing";
import { jsonStore } from "./json-store.ts";

const folder = mkdtempSync(join(tmpdir(), "suite-"));
test.after(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = () => join(folder, `${++files}.json`);
const make = () => {
  const file = fresh();
  return { store: jsonStore(file), reopen: async () => jsonStore(file) };
};
for (const { rule, name, check } of storeSuite(make)) test(`${rule}: ${name}`, check);

test("a store that forgets keys and takes what is stale is named at fault", async () => {
  const wrong = (right) => ({
    ...right,
    accept: (deliveries, limits) =>
      right.accept(deliveries.map((one) => ({ ...one, key: `${one.key}${Math.random()}` })).reverse(), limits),
    commit: async (commit, at) =>
      right.commit({ ...commit, expectedVersion: (await right.load(commit.threadId))?.version ?? 0, timers: [] }, at),
  });
  const faults = [];
  for (const { name, check } of storeSuite(() => wrong(jsonStore(fresh()))))
    await check().catch(() => faults.push(name));
  assert.ok(faults.length >= 6, faults.join("; "));
});
