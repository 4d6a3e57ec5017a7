import { once } from "node:events";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "vitest";
import { threadTable } from "../../../src/cli/threads/table.ts";
import { listThreads } from "../../../src/cli/threads/threads.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { ThreadSummary } from "../../../src/store/store.ts";
import { spec } from "../../../src/testing/store/material.ts";
import { fakeIo } from "../fake-io.ts";
import { freshFile, startWakeful, wakefulHere } from "../show/wakeful.ts";

const summary = (threadId: string, more: Partial<ThreadSummary> = {}): ThreadSummary => ({
  threadId: threadId as never,
  parent: null,
  state: "idle",
  waiting: 0,
  due: false,
  ...more,
});

const many = Array.from({ length: 1_234 }, (_, index) => `t/${String(index).padStart(4, "0")}`);

describe("wakeful threads", { timeout: 60_000 }, () => {
  let db: string;
  beforeAll(async () => {
    db = freshFile();
    const store = sqliteStore(db, { synchronous: "normal" });
    for (const id of many) await store.create(id as never, spec, 1);
    await store.close();
  });

  it("lists every thread once, by id, over all pages", async () => {
    const { code, out, err } = await wakefulHere(["threads", "--db", db]);
    const [head, ...rows] = out.trimEnd().split("\n");
    expect(head).toMatch(/^THREAD +STATE +WAITING {2}DUE$/);
    expect(rows.map((row) => row.split(" ")[0])).toEqual(many);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { out: json } = await wakefulHere(["threads", "--db", db, "--json"]);
    expect(
      json
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(many.map((id) => summary(id)));
  });

  it("says when there is none, and prints nothing for other programs", async () => {
    expect(await wakefulHere(["threads", "--db", db, "--state", "closed"])).toEqual({
      code: 0,
      out: "",
      err: `wakeful: no thread is closed in ${db}.\n`,
    });
    expect(await wakefulHere(["threads", "--db", db, "--state", "closed", "--json"])).toEqual({
      code: 0,
      out: "",
      err: "",
    });
    const empty = freshFile();
    await sqliteStore(empty).close();
    expect((await wakefulHere(["threads", "--db", empty])).err).toBe(`wakeful: there are no threads in ${empty}.\n`);
  });

  it("ends quietly with 0 when its reader has read enough", async () => {
    const child = startWakeful("threads", "--db", db, "--json");
    const err = text(child.stderr);
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = await once(child, "close");
    expect({ code, err: await err }).toEqual({ code: 0, err: "" });
  });

  it("reads the store page by page, and no page more than somebody reads", async () => {
    const asked: unknown[] = [];
    const endless = {
      load: async () => undefined,
      threads: async (query: { limit?: number; after?: string } = {}) => {
        asked.push(query);
        return Array.from({ length: query.limit ?? 0 }, (_, index) => summary(`t${asked.length}.${index}`));
      },
    };
    const { io, written } = fakeIo();
    let taken = 0;
    const stdout = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) =>
        done(++taken < 3 ? null : Object.assign(new Error("no reader"), { code: "EPIPE" })),
    });
    stdout.on("error", () => {});
    expect(await listThreads(endless, { db: "x.db", json: true }, { ...io, stdout })).toBe(0);
    expect(asked).toEqual([{ limit: 500 }, { limit: 500, after: "t1.499" }, { limit: 500, after: "t2.499" }]);
    expect(written.err).toBe("");
  });

  it("says that its output cannot be written, with 2", async () => {
    const { io, written } = fakeIo();
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(new Error("no space left")) });
    stdout.on("error", () => {});
    const store = { threads: async () => [summary("a")], load: async () => undefined };
    expect(await listThreads(store, { db: "x.db", json: false }, { ...io, stdout })).toBe(2);
    expect(written.err).toBe("wakeful: the output cannot be written: no space left\n");
  });

  it.each([
    [["--db"], /argument missing/],
    [[], /required option '--db <FILE>' not specified/],
    [["--db", "x", "--state", "asleep"], /'asleep' is invalid\. Allowed choices are running, awaitingActiveCall/],
  ])("refuses %j with 2", async (args, said) => {
    const { code, out, err } = await wakefulHere(["threads", ...args]);
    expect(err).toMatch(said);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });
});

describe("the table of threads", () => {
  const page = [
    summary("acme/build-42", { state: "awaitingActiveCall", waiting: 1_000, due: true }),
    summary(`acme/${"x".repeat(190)}`),
  ];

  it("cuts ids in the middle where there is no room for them", () =>
    expect(threadTable(60)(page)).toBe(
      `THREAD                      STATE               WAITING  DUE
acme/build-42               awaitingActiveCall     1000  yes
acme/xxxxxxxx…xxxxxxxxxxxx  idle                      0  -
`,
    ));

  it("gives each thread lines of its own on a terminal of 20 columns", () =>
    expect(threadTable(20)(page)).toBe(
      `acme/build-42
  awaitingActiveCall
  1000 waiting, due
acme/xxxxx…xxxxxxxxx
  idle
  0 waiting
`,
    ));

  it("widens for longer ids of later pages, and has its heads once", () => {
    const table = threadTable(Number.POSITIVE_INFINITY);
    const [first, second] = [table([summary("a")]), table([summary("a-longer-id"), summary("b")])];
    expect(first).toBe("THREAD  STATE               WAITING  DUE\na       idle                      0  -\n");
    expect(second).toBe("a-longer-id  idle                      0  -\nb            idle                      0  -\n");
  });
});
