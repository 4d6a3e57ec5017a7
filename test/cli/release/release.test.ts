import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { commitOf, deliver, recordOf, say, spec } from "../../../src/testing/store/material.ts";
import { freshFile, wakefulHere } from "../show/wakeful.ts";

const quarantined = { reason: "process-died", times: 4, at: 5, upTo: 2 } as const;
const [poison, fine, damaged] = ["shop/poison", "shop/fine", "shop/damaged"] as ThreadId[];

const database = async (): Promise<string> => {
  const db = freshFile();
  const store = sqliteStore(db, { synchronous: "normal" });
  for (const id of [poison, fine, damaged]) await store.create(id as ThreadId, spec, 1);
  await store.commit(commitOf(poison as ThreadId, 0, { record: recordOf({ restarts: 3, quarantined }) }), 1_000);
  await store.commit(commitOf(damaged as ThreadId, 0, { record: recordOf() }), 1_000);
  await store.accept([deliver(damaged as ThreadId, "a", say("hello"))], { inboxLimit: 10 });
  await store.close();
  const file = new DatabaseSync(db);
  file.exec(`UPDATE thread SET record = '{"nextPosition": "four"}' WHERE name = '${damaged}'`);
  file.close();
  return db;
};

describe("wakeful threads", () => {
  it("says of a thread that is set aside why, and how it goes on; of one that cannot be read what is wrong", async () => {
    const db = await database();
    const { code, out } = await wakefulHere(["threads", "--db", db]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /shop\/damaged +idle +1 +- *\n {2}cannot be read: .*nextPosition.*\nshop\/fine +idle +0 +-\nshop\/poison +idle +0 +-\n {2}set aside: the process died 4 times in a row while it was at work; wakeful release shop\/poison lets it go on\n$/,
    );
    const lines = (await wakefulHere(["threads", "--db", db, "--json"])).out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ threadId: damaged, unreadable: expect.stringContaining("nextPosition") }),
      expect.not.objectContaining({ quarantined: expect.anything() }),
      expect.objectContaining({ threadId: poison, quarantined, restarts: 3 }),
    ]);
  });
});

describe("wakeful release", () => {
  it("puts a release into the inbox of a thread that is set aside, and of one that cannot be read", async () => {
    const db = await database();
    for (const thread of [poison, damaged] as ThreadId[]) {
      const { code, out } = await wakefulHere(["release", thread, "--db", db]);
      expect({ code, out }).toEqual({ code: 0, out: "released; nobody runs this database now, it waits\n" });
    }
    const store = sqliteStore(db);
    expect((await store.load(poison as ThreadId))?.inbox.map(({ input }) => input.kind)).toEqual(["release"]);
    await store.close();
    const { out } = await wakefulHere(["release", poison as string, "--db", db, "--json"]);
    expect(JSON.parse(out)).toEqual({ threadId: poison, released: true, runner: null });
  });

  it("says what else may have been meant, with 1, and adds nothing", async () => {
    const db = await database();
    const unknown = await wakefulHere(["release", "shop/fin", "--db", db]);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toMatch(/Did you mean shop\/fine/);
    const well = await wakefulHere(["release", fine as string, "--db", db]);
    expect(well).toMatchObject({ code: 1, out: "" });
    expect(well.err).toMatch(/shop\/fine is not set aside/);
    expect((await wakefulHere(["release", "--db", db])).code).toBe(2);
  });
});
