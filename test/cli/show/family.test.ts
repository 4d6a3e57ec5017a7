import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createSystem, defineTool, demoModel, silentLogger } from "../../../src/index.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { freshFile, wakefulHere } from "./wakeful.ts";

const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

/** A database with a root, a child of it with one of its own that was halted at work, and a child that has closed. */
describe("a family in a database", { timeout: 60_000 }, () => {
  let db: string;
  let child: string;
  const run = async (...args: readonly string[]) => {
    const { code, out, err } = await wakefulHere([...args, "--db", db]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return out.replaceAll(uuid, "ID");
  };
  beforeAll(async () => {
    db = freshFile();
    const store = sqliteStore(db, { synchronous: "normal" });
    const gate = defineTool({
      name: "hold",
      description: "",
      inputSchema: z.object({}),
      dispatch: () => {},
    });
    const system = await createSystem({ model: demoModel(), store, tools: [gate], logger: silentLogger });
    const instructions = 'Your full thread stack, root first, is ["acme/root"].';
    const root = await system.open("acme/root", { instructions });
    await root.send("split: split: say one then call hold {} | say two");
    await root.atRest({ tree: true });
    child = root.view().children[0]?.threadId ?? "";
    await (await system.thread(child))?.halt();
    await root.atRest({ tree: true });
    await system.stop();
    await store.close();
  });

  it("is listed as a tree, with closed threads", async () => {
    const rows = (await run("threads", "--tree")).trimEnd().split("\n");
    expect(
      rows.map((row) =>
        row
          .replace(/ +\d +(?:-|yes)$/, "")
          .replace(/ (?=\w+$)/, "|")
          .replaceAll(/ +\|/g, "|"),
      ),
    ).toEqual([expect.stringContaining("THREAD"), "acme/root|idle", "  ID.1|idle", "    ID.1|idle", "  ID.2|closed"]);
  });

  it("is listed by id with parents as JSON", async () => {
    const lines = (await run("threads", "--json"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ parent }) => parent)).toEqual(expect.arrayContaining([null, "acme/root"]));
    expect((await run("threads", "--json", "--tree")).split("\n")).toHaveLength(5);
  });

  it("refuses a tree of threads in one state, for it would have holes", async () => {
    const { code, err } = await wakefulHere(["threads", "--db", db, "--tree", "--state", "idle"]);
    expect(code).toBe(2);
    expect(err).toContain("cannot be used with");
  });

  it("is shown from above, with its open children", async () =>
    expect(await run("show", "acme/root")).toMatch(
      /\nChildren\n {2}ID\.1, spawned by acme\/root#1\.0(?:, at rest)?\n$/,
    ));

  it("is shown from below: its parent, that it is halted, and its own part of the history", async () => {
    const out = await run("show", child);
    expect(out).toMatch(
      /^state +idle, halted until somebody writes\nparent +acme\/root, spawned by acme\/root#1\.0\n/m,
    );
    expect(out).toMatch(/^History: \d entries\n\[2\] result of spawn_thread, acme\/root#1\.0 \(spawn_seed\)/m);
    const own = JSON.parse(await run("show", child, "--json"));
    expect(own.opening).toMatchObject({ kind: "spawned", parent: "acme/root" });
    expect(Array.isArray(own.children)).toBe(true);
    const count = Number(/^History: (\d+) entries/m.exec(out)?.[1]);
    expect(own.history).toHaveLength(count);
  });
});
