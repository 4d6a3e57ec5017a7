import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { jsonStore } from "../../../docs/examples/json-store.ts";
import { type Store, storeSuite } from "../../support/public.ts";

const folder = mkdtempSync(join(tmpdir(), "wakeful-json-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = () => join(folder, `${++files}.json`);

describe("the JSON store of the docs", () => {
  const make = () => {
    const file = fresh();
    return { store: jsonStore(file), reopen: async () => jsonStore(file) };
  };
  for (const { rule, name, check } of storeSuite(make)) it(`${rule}: ${name}`, { timeout: 60_000 }, check);

  it("writes a file that its owner alone can read", async () => {
    const file = fresh();
    const store = jsonStore(file);
    await store.create("t" as never, { tools: [], instructions: "", metadata: {} }, 1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is named at fault by at least six requirements when it is deliberately wrong", async () => {
    const wrong = (right: Store): Store => ({
      ...right,
      // Keys and order are forgotten, versions are not looked at, and nothing survives.
      accept: (deliveries, limits) =>
        right.accept(deliveries.map((one) => ({ ...one, key: `${one.key}${Math.random()}` })).reverse(), limits),
      commit: async (commit, at) => {
        const version = (await right.load(commit.threadId))?.version ?? 0;
        return right.commit({ ...commit, expectedVersion: version, timers: [], interrupting: [] }, at);
      },
    });
    const faults: string[] = [];
    for (const { name, check } of storeSuite(() => wrong(jsonStore(fresh()))))
      await check().catch(() => faults.push(name));
    expect(faults.length).toBeGreaterThanOrEqual(6);
  });
});
