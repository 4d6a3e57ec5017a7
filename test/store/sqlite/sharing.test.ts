import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { ThreadId } from "../../../machines/history/ids.ts";
import type { SharedStore } from "../../../src/store/sqlite/shared-store.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import {
  alpha,
  beta,
  callOf,
  commitOf,
  deliver,
  everythingOf,
  roomy,
  spec,
  statusesOf,
  waitingIn,
} from "../../../src/testing/store/material.ts";
import { emptyStore, freshFile, quick } from "./files.ts";

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

describe("a lease", () => {
  it("is held by one at a time, and who asks in vain is told by whom and until when (R8)", async () => {
    const { one, other } = await two();
    expect(await one.lease("runner", "a", 100, 1_000)).toEqual({ held: true, until: 1_100 });
    expect(await other.lease("runner", "b", 100, 1_050)).toEqual({ held: false, by: "a", until: 1_100 });
    expect(await other.lease("another", "b", 100, 1_050)).toEqual({ held: true, until: 1_150 });
  });

  it("is renewed by its holder, and anybody's once it ran out", async () => {
    const { one, other } = await two();
    await one.lease("runner", "a", 100, 1_000);
    expect(await one.lease("runner", "a", 100, 1_090)).toEqual({ held: true, until: 1_190 });
    expect(await other.lease("runner", "b", 100, 1_189)).toMatchObject({ held: false });
    expect(await other.lease("runner", "b", 100, 1_190)).toEqual({ held: true, until: 1_290 });
    expect(await one.lease("runner", "a", 100, 1_200)).toEqual({ held: false, by: "b", until: 1_290 });
  });

  it("is given back by its holder alone", async () => {
    const { one, other } = await two();
    await one.lease("runner", "a", 100, 1_000);
    await other.release("runner", "b");
    expect(await other.lease("runner", "b", 100, 1_001)).toMatchObject({ held: false });
    await one.release("runner", "a");
    await one.release("runner", "a");
    expect(await other.lease("runner", "b", 100, 1_002)).toMatchObject({ held: true });
  });

  it("ends within its own length when the clock is set back an hour or a year (R9)", async () => {
    const year = 365 * 86_400_000;
    const { one, other } = await two();
    await one.lease("runner", "a", 100, year);
    expect(await other.lease("runner", "b", 100, 5_000)).toEqual({ held: false, by: "a", until: 5_100 });
    expect(await other.lease("runner", "b", 100, 5_099)).toEqual({ held: false, by: "a", until: 5_100 });
    expect(await other.lease("runner", "b", 100, 5_100)).toEqual({ held: true, until: 5_200 });
  });

  it("whoever asks whenever: no two hold it at one instant", async () => {
    const ask = fc.record({
      holder: fc.constantFrom("a", "b", "c"),
      after: fc.nat(60),
      ttl: fc.integer({ min: 1, max: 80 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { maxLength: 12 }), async (asks) => {
        const store = opened(":memory:");
        let now = 0;
        let holding: { holder: string; until: number } | undefined;
        for (const { holder, after, ttl } of asks) {
          now += after;
          const outcome = await store.lease("runner", holder, ttl, now);
          const free = !holding || holding.until <= now || holding.holder === holder;
          expect(outcome.held).toBe(free);
          if (outcome.held) holding = { holder, until: outcome.until };
          else expect(outcome).toEqual({ held: false, by: holding?.holder, until: holding?.until });
        }
      }),
    );
  });
});

const inProcess = (script: string, ...args: string[]) =>
  spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });

describe("several processes", () => {
  it("make one file together, and each input is accepted once, whoever sends it (R2)", async () => {
    const file = freshFile();
    const ends = [1, 2, 3, 4].map(() => once(inProcess("./processes/sender.ts", file, "25"), "exit"));
    for (const end of await Promise.all(ends)) expect(end).toEqual([0, null]);
    const store = opened(file);
    expect((await waitingIn(store, alpha)).sort()).toEqual(Array.from({ length: 25 }, (_, id) => `${id}`).sort());
    expect(await store.feed({ after: 0, limit: 1_000 })).toHaveLength(25);
  });
});

describe("a process killed", () => {
  const killedAt = async (where: string) => {
    const file = await emptyStore();
    expect(await once(inProcess("./processes/killed.ts", file, where), "exit")).toEqual([null, "SIGKILL"]);
    return opened(file);
  };

  it("at `created` leaves the thread", async () =>
    expect(await (await killedAt("created")).load(alpha)).toMatchObject({ version: 0, inbox: [] }));

  it("at `accepting` leaves nothing of the inputs: their keys are unseen (R2)", async () => {
    const store = await killedAt("accepting");
    expect(await store.load(alpha)).toMatchObject({ inbox: [] });
    expect(await store.feed({ after: 0, limit: 10 })).toEqual([]);
    expect(statusesOf(await store.accept([deliver(alpha, "a")], roomy))).toEqual(["accepted"]);
  });

  it("at `accepted` leaves the inputs (R1)", async () =>
    expect(await waitingIn(await killedAt("accepted"), alpha)).toEqual(["a", "b"]));

  it("at `committing` leaves nothing of the commit: its inputs still wait (R7)", async () => {
    const store = await killedAt("committing");
    expect(await store.load(alpha)).toMatchObject({
      version: 0,
      calls: [],
      inbox: [{ dedupId: "a" }, { dedupId: "b" }],
    });
    expect(await store.history(alpha)).toEqual([]);
    expect(await store.timers({ after: 0, until: 100 })).toEqual([]);
  });

  it("at `committed` leaves the commit as a whole", async () => {
    const store = await killedAt("committed");
    const call = { callId: callOf(alpha, 1).callId, status: "committed" };
    expect(await store.load(alpha)).toMatchObject({ version: 1, calls: [call], inbox: [{ dedupId: "b" }] });
    expect(await store.history(alpha)).toHaveLength(2);
    expect(await store.timers({ after: 0, until: 100 })).toHaveLength(1);
  });

  it("at `acknowledged` leaves the mark", async () =>
    expect(await (await killedAt("acknowledged")).load(alpha)).toMatchObject({ calls: [{ status: "acknowledged" }] }));
});
