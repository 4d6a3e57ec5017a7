import { describe, expect, it } from "vitest";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { commitOf, recordOf, spec, user } from "../../../src/testing/store/material.ts";
import { freshFile, wakefulHere } from "./wakeful.ts";

const id = "shop/1" as ThreadId;

describe("wakeful show, of a thread whose history was mended", () => {
  it("lists the rows that were set aside, as they were, and marks what a repair wrote", async () => {
    const db = freshFile();
    const store = sqliteStore(db, { synchronous: "normal" });
    await store.create(id, spec, 1);
    await store.commit(commitOf(id, 0, { entries: [user(0), user(1)], record: recordOf({ nextPosition: 2 }) }), 1_000);
    const note = { kind: "user", at: 5, text: "[lost]", repaired: 1 } as const;
    const repair = { entries: [{ position: 1, entry: note }], removed: [] };
    await store.commit(commitOf(id, 1, { repair, record: recordOf({ nextPosition: 2 }) }), 2_000);
    await store.close();
    const { out } = await wakefulHere(["show", id, "--db", db]);
    expect(out).toMatch(/\[1\] a note of a repair/);
    expect(out).toMatch(/Set aside by repairs: 1 row, as it was/);
    expect(out).toContain("text 1");
    const json = JSON.parse((await wakefulHere(["show", id, "--db", db, "--json"])).out);
    expect(json.setAside).toEqual([{ position: 1, stored: JSON.stringify(user(1).entry), at: 2_000 }]);
  });
});
