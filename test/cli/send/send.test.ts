import { beforeAll, describe, expect, it } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { deliver, spec } from "../../../src/testing/store/material.ts";
import { freshFile, wakefulHere } from "../show/wakeful.ts";

let db: string;
beforeAll(async () => {
  db = freshFile();
  const store = sqliteStore(db);
  for (const id of ["acme/one", "acme/full"]) await store.create(id as never, spec, 1);
  const waiting = Array.from({ length: 1_000 }, (_, index) => deliver("acme/full" as never, `${index}`));
  await store.accept(waiting, { inboxLimit: 1_000 });
  await store.close();
});

const send = (args: readonly string[], input?: string) =>
  wakefulHere(["send", ...args, "--db", db], input === undefined ? {} : { input });

const waitingIn = async (thread: string) => {
  const store = sqliteStore(db);
  const loaded = await store.load(thread as never);
  await store.close();
  return loaded?.inbox.map(({ dedupId, input }) => [dedupId, "text" in input ? input.text : ""]) ?? [];
};

describe("wakeful send", { timeout: 60_000 }, () => {
  it("puts a text into the inbox of a thread that nobody runs, and says that it waits (R1)", async () => {
    expect(await send(["acme/one", "is", "it done?", "--id", "a"])).toEqual({
      code: 0,
      out: "accepted as a; nobody runs this database now, it waits\n",
      err: "",
    });
    expect(await waitingIn("acme/one")).toContainEqual(["a", "is it done?"]);
  });

  it("says of the same id that it was there, and adds nothing (R2)", async () => {
    await send(["acme/one", "once", "--id", "b"]);
    expect((await send(["acme/one", "twice", "--id", "b"])).out).toBe(
      "seen before as b, nothing was added; nobody runs this database now\n",
    );
    const { out } = await send(["acme/one", "twice", "--id", "b", "--json"]);
    expect(JSON.parse(out)).toEqual({ threadId: "acme/one", id: "b", isNew: false, runner: null });
    expect((await waitingIn("acme/one")).filter(([id]) => id === "b")).toEqual([["b", "once"]]);
  });

  it("gives each text without an id one of its own", async () => {
    const ids = [await send(["acme/one", "x"]), await send(["acme/one", "x"])].map(
      ({ out }) => /^accepted as ([0-9a-f-]{36});/.exec(out)?.[1],
    );
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(undefined);
  });

  it("reads a text from standard input, whole, but for the line end behind it", async () => {
    await send(["acme/one", "-", "--id", "c"], "two\nlines é\r\n");
    await send(["acme/one", "-", "--id", "d"], "\ufeffno end");
    await wakefulHere(["send", "acme/one", "--id", "e", "--db", db, "--", "-x", "-"]);
    expect(await waitingIn("acme/one")).toEqual(
      expect.arrayContaining([
        ["c", "two\nlines é"],
        ["d", "no end"],
        ["e", "-x -"],
      ]),
    );
  });

  it("refuses standard input that is longer than an input may be, with 1, without reading it all", async () => {
    const { code, err } = await send(["acme/one", "-"], "x".repeat(3_000_000));
    expect(err).toMatch(
      /^wakeful: The input did not reach thread "acme\/one": standard input has more than 1,000,000 bytes/,
    );
    expect(code).toBe(1);
    expect((await send(["acme/one", "-", "--id", "f"], `${"x".repeat(1_000_000)}\r\n`)).code).toBe(0);
    expect((await send(["acme/one", "-", "--id", "g"], "x".repeat(1_000_001))).code).toBe(1);
  });

  it("refuses what an inbox has no room for, with 1; what interrupts has room of its own (R6)", async () => {
    expect(await send(["acme/full", "hi", "--while-busy", "wait"])).toEqual({
      code: 1,
      out: "",
      err: 'wakeful: The input did not reach thread "acme/full": its inbox is full. Send it again when the thread has worked some of it off.\n',
    });
    expect((await send(["acme/full", "stop"])).code).toBe(0);
  });

  it("names ids close to one that is not there, with 1, and makes no thread", async () => {
    expect(await send(["acme/on", "hi"])).toEqual({
      code: 1,
      out: "",
      err: `wakeful: not sent: there is no thread acme/on in ${db}. Did you mean acme/one?\n`,
    });
    expect((await wakefulHere(["threads", "--db", db, "--json"])).out.split("\n")).toHaveLength(3);
  });

  it.each([
    [["acme/one", " "], /^wakeful: Option TEXT: is blank; say something\n$/],
    [["acme/one", "-"], /^wakeful: Option TEXT: is blank/],
    [["a b", "hi"], /^wakeful: "a b" is no thread id/],
    [["acme/one"], /missing required argument 'TEXT'/],
    [["acme/one", "hi", "--while-busy", "perhaps"], /Allowed choices are interrupt, wait/],
  ])("refuses %j with 2", async (args, said) => {
    const { code, out, err } = await send(args, "\n");
    expect(err).toMatch(said);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  it("refuses an id that is empty, with 1", async () => {
    const { code, err } = await send(["acme/one", "hi", "--id", ""]);
    expect(err).toContain("a dedup id is not empty");
    expect(code).toBe(1);
  });
});
