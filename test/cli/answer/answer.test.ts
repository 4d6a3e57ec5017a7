import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createSystem, defineTool, silentLogger } from "../../../src/index.ts";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { freshFile, wakefulHere } from "../show/wakeful.ts";

const remove = defineTool({
  name: "remove",
  description: "Removes.",
  inputSchema: z.object({}),
  needsApproval: true,
  run: () => "removed",
});

let db: string;
const ids: string[] = [];
beforeAll(async () => {
  db = freshFile();
  const store = sqliteStore(db);
  const model = scriptedModel(() => ({ calls: [{ name: "remove", args: {} }] }));
  const system = await createSystem({ model, store, tools: [remove], logger: silentLogger });
  for (const id of ["acme/one", "acme/two", "acme/three"]) {
    const thread = await system.open(id);
    await thread.send("go");
    await thread.atRest();
    ids.push((await thread.choices())[0]?.choiceId ?? "");
  }
  await system.stop();
  await store.close();
});
const answer = (...args: string[]) => wakefulHere(["answer", ...args, "--db", db]);

describe("wakeful answer", { timeout: 60_000 }, () => {
  it("lists the questions that are open, with what they offer and when they run out", async () => {
    const { code, out } = await answer();
    expect(code).toBe(0);
    expect(out).toContain(`${ids[0]}, runs out in `);
    expect(out).toContain("1 approve · 2 always approve · 3 deny (default)");
    const listed = (await answer("--json")).out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(listed.map(({ choiceId }) => choiceId)).toEqual([...ids].sort());
  });

  it("puts an answer into the inbox of a thread that nobody runs, once for each id (R2)", async () => {
    const [first = ""] = ids;
    expect(await answer(first, "deny", "--by", "ann", "--reason", "no", "--id", "a")).toEqual({
      code: 0,
      out: "answered: deny; nobody runs this database now, it waits\n",
      err: "",
    });
    expect((await answer(first, "deny", "--id", "a")).out).toContain("seen before as a");
    const store = sqliteStore(db);
    const [waiting] = (await store.load("acme/one" as never))?.inbox ?? [];
    await store.close();
    expect(waiting?.input).toMatchObject({ kind: "answer", choice: 2, by: "ann", reason: "no" });
  });

  it("takes a choice by its number, its start, or yes", async () => {
    const [, second = "", third = ""] = ids;
    expect((await answer(second, "2")).out).toContain("answered: always approve");
    expect((await answer(third, "y", "--json")).out).toContain('"choice":"approve"');
  });

  it("says of a question that is not there, and of a choice that is not offered, what would work", async () => {
    const unknown = await answer("acme/one#9.9", "approve");
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("wakeful answer --db")]);
    const [first = ""] = ids;
    const odd = await answer(first, "perhaps");
    expect([odd.code, odd.err]).toEqual([1, expect.stringMatching(/no choice "perhaps".*1 approve/)]);
    const missing = await answer(first);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("CHOICE")]);
  });

  it("is named where a thread is shown", async () => {
    const [first = ""] = ids;
    const { out } = await wakefulHere(["show", "acme/one", "--db", db]);
    expect(out).toContain("proposed: waits for approval");
    expect(out).toContain(`wakeful answer '${first}' takes 1 approve`);
  });
});
