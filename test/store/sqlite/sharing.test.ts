import { once } from "node:events";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { SharedStore } from "../../../src/store/store.ts";
import {
  alpha,
  beta,
  commitOf,
  deliver,
  everythingOf,
  roomy,
  spec,
  statusesOf,
  waitingIn,
} from "../../../src/testing/store/material.ts";
import { emptyStore, freshFile, quick } from "./files.ts";
import { inProcess } from "./processes/start.ts";

const open: SharedStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

const opened = (file: string): SharedStore => {
  const store = sqliteStore(file, quick);
  open.push(store);
  return store;
};

/** Two connections to one file, as two processes have them. */
const two = async () => {
  const file = await emptyStore();
  return { one: opened(file), other: opened(file), file };
};

describe("two stores on one file", () => {
  it("see what the other accepted and committed, and know its keys (R2)", async () => {
    const { one, other } = await two();
    expect(await one.create(alpha, spec, 1)).toBe(true);
    expect(await other.create(alpha, spec, 1)).toBe(false);
    await one.accept([deliver(alpha, "a")], roomy);
    expect(statusesOf(await other.accept([deliver(alpha, "a"), deliver(alpha, "b")], roomy))).toEqual([
      "duplicate",
      "accepted",
    ]);
    expect(await waitingIn(one, alpha)).toEqual(["a", "b"]);
    expect(await other.commit(commitOf(alpha, 0, { consumed: [1] }), 2)).toMatchObject({ status: "committed" });
    expect(await one.commit(commitOf(alpha, 0), 2)).toEqual({ status: "stale", version: 1 });
    expect(await everythingOf(one)).toEqual(await everythingOf(other));
  });

  it("keep what one of them closes with open for the other", async () => {
    const { one, other } = await two();
    await one.create(alpha, spec, 1);
    await one.close();
    await other.accept([deliver(alpha, "a")], roomy);
    expect(await waitingIn(other, alpha)).toEqual(["a"]);
  });
});

describe("what was accepted since", () => {
  it("is asked for with a cursor: threads in which it still waits, by id, each once", async () => {
    const { one, other } = await two();
    for (const threadId of [beta, alpha]) await one.create(threadId, spec, 1);
    await one.accept([deliver(alpha, "before")], roomy);
    const { cursor, threads } = await one.acceptedAfter();
    expect(threads).toEqual([]);
    expect(await one.acceptedAfter(cursor)).toEqual({ cursor, threads: [] });
    await other.accept([deliver(beta, "1"), deliver(alpha, "2"), deliver(beta, "3")], roomy);
    const news = await one.acceptedAfter(cursor);
    expect(news.threads).toEqual([alpha, beta]);
    expect(await one.acceptedAfter(news.cursor)).toEqual({ cursor: news.cursor, threads: [] });
    const seqs = (await other.load(beta))?.inbox.map(({ seq }) => seq) ?? [];
    await other.commit(commitOf(beta, 0, { consumed: seqs }), 2);
    expect((await one.acceptedAfter(cursor)).threads).toEqual([alpha]);
    const [, fresh = -1] = (await other.load(alpha))?.inbox.map(({ seq }) => seq) ?? [];
    await other.commit(commitOf(alpha, 0, { consumed: [fresh] }), 2);
    expect((await one.acceptedAfter(cursor)).threads, "what waits there is older").toEqual([]);
  });

  it("whoever accepts whatever: a runner that polls hears of every input that waits (R1)", async () => {
    const step = fc.record({
      by: fc.constantFrom("one", "other"),
      to: fc.constantFrom(alpha, beta),
      poll: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { one, other } = await two();
        for (const threadId of [alpha, beta]) await one.create(threadId, spec, 1);
        let { cursor } = await one.acceptedAfter();
        const heard = new Set<ThreadId>();
        const sent = new Set<ThreadId>();
        const poll = async () => {
          const news = await one.acceptedAfter(cursor);
          cursor = news.cursor;
          for (const threadId of news.threads) heard.add(threadId);
          expect(heard).toEqual(sent);
        };
        for (const [index, { by, to, poll: polls }] of steps.entries()) {
          await (by === "one" ? one : other).accept([deliver(to, `${index}`)], roomy);
          sent.add(to);
          if (polls) await poll();
        }
        await poll();
      }),
      { numRuns: 20 },
    );
  });
});

describe("several processes", () => {
  it("make one file together, and each input is accepted once, whoever sends it (R2)", async () => {
    const file = freshFile();
    const ends = [1, 2, 3, 4].map(() => once(inProcess("sender.ts", file, "25"), "exit"));
    for (const end of await Promise.all(ends)) expect(end).toEqual([0, null]);
    const store = opened(file);
    expect((await waitingIn(store, alpha)).sort()).toEqual(Array.from({ length: 25 }, (_, id) => `${id}`).sort());
    expect(await store.feed({ after: 0, limit: 1_000 })).toHaveLength(25);
  });
});
