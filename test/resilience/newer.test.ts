import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import type { ThreadId } from "../../machines/history/ids.ts";
import { createSystem, StoreFileError, silentLogger } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import { freshFile, removeFiles } from "../kill/files.ts";

afterAll(removeFiles);

const ids = ["new", "old-1", "old-2"];

const begin = async (file: string) => {
  const store = sqliteStore(file, { synchronous: "normal", logger: silentLogger });
  const clock = virtualClock(1_000_000);
  const errors: string[] = [];
  const logger = {
    ...silentLogger,
    error: (fields: object, text: string) => void errors.push(JSON.stringify([fields, text])),
  };
  const model = scriptedModel(() => "answer", { strict: true });
  const system = await createSystem({ model, store, clock, logger });
  const end = async () => {
    await system.stop();
    await store.close();
  };
  return { store, clock, errors, model, system, end };
};

/** A file with three threads of one exchange each, and another text that waits in each. */
const written = async (): Promise<string> => {
  const file = freshFile("newer.db");
  const { store, system, clock, end } = await begin(file);
  for (const id of ids) {
    const thread = await system.open(id);
    await thread.ask("hello");
  }
  await clock.advance(1_000);
  await end();
  const next = sqliteStore(file, { synchronous: "normal", logger: silentLogger });
  for (const threadId of ids as ThreadId[]) {
    const input = { kind: "text", text: "more", sender: "user", whileBusy: "wait" } as const;
    await next.accept([{ threadId, dedupId: "more", key: "more", input, at: 1, facts: [] }], { inboxLimit: 10 });
  }
  await next.close();
  void store;
  return file;
};

/** Changes a file as a version would have written it that does not exist yet. */
const changed = (file: string, sql: string): void => {
  const connection = new DatabaseSync(file);
  connection.exec(sql);
  connection.close();
};

const newThread = "(SELECT id FROM thread WHERE name = 'new')";

describe("what a newer version wrote", () => {
  it("into the schema is refused as a whole, with what to do, and nothing in the file is changed", async () => {
    const file = await written();
    changed(file, "PRAGMA user_version = 999");
    const open = () => sqliteStore(file);
    expect(open).toThrow(StoreFileError);
    expect(open).toThrow(/999.*Update wakeful/s);
    changed(file, "PRAGMA user_version = 1000");
    expect(open).toThrow(/1000/);
  });

  it("as fields that nobody knows yet is read over", async () => {
    const file = await written();
    changed(
      file,
      `UPDATE thread SET record = json_set(record, '$.mood', 'good');
       UPDATE entry SET body = json_set(body, '$.mood', 'good');
       UPDATE input SET body = json_set(body, '$.input.mood', 'good', '$.mood', 'good');
       UPDATE spec SET body = json_set(body, '$.mood', 'good')`,
    );
    const { model, store, errors, end } = await begin(file);
    await settle(40);
    expect(model.requestCount).toBe(3);
    expect(await store.threads({ withWork: true })).toEqual([]);
    expect(errors).toEqual([]);
    await end();
  });

  it("as an entry of a kind that nobody knows is set aside as it was, and the thread goes on", async () => {
    const file = await written();
    changed(
      file,
      `UPDATE entry SET body = json_set(body, '$.kind', 'dream') WHERE thread = ${newThread} AND position = 0`,
    );
    const { model, store, end } = await begin(file);
    await settle(40);
    expect(model.requestCount).toBe(3);
    expect(JSON.stringify(await store.setAside?.("new" as ThreadId))).toContain("dream");
    expect(await store.threads({ withWork: true })).toEqual([]);
    await end();
  });

  it.each([
    [
      "a record without what it has to have",
      `UPDATE thread SET record = json_remove(record, '$.usage') WHERE name = 'new'`,
    ],
    [
      "a state that nobody knows",
      `UPDATE thread SET state = 'dreaming', record = json_set(record, '$.state', 'dreaming') WHERE name = 'new'`,
    ],
    [
      "a reason for setting aside that nobody knows",
      `UPDATE thread SET record = json_set(record, '$.quarantined', json('{"reason":"mood"}')) WHERE name = 'new'`,
    ],
    [
      "an input of a kind that nobody knows",
      `UPDATE input SET body = json_set(body, '$.input.kind', 'dream') WHERE thread = ${newThread}`,
    ],
  ])("as %s leaves that thread alone, by name, and the others go on (R1)", async (_, sql) => {
    const file = await written();
    changed(file, sql);
    const { model, errors, store, system, clock, end } = await begin(file);
    await clock.advance(60_000);
    expect(model.requestCount).toBe(2);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatch(/new.*(newer version|backup)/s);
    expect(errors.length).toBeLessThan(5);
    const waits = (await store.threads({ withWork: true })).map(({ threadId, waiting }) => [threadId, waiting]);
    expect(waits).toEqual([["new", 1]]);
    await expect(system.open("new")).rejects.toThrow(/new.*cannot be read/s);
    await end();
  });
});
