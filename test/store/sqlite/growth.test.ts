import { afterEach, describe, expect, it } from "vitest";
import type { PlacedEntry, ResultEntry } from "../../../machines/history/entry.ts";
import type { Fact } from "../../../machines/thread/facts.ts";
import { silentLogger } from "../../../src/logger.ts";
import { openFile } from "../../../src/store/sqlite/open.ts";
import { storeOn } from "../../../src/store/sqlite/sqlite-store.ts";
import {
  alpha,
  callOf,
  commitOf,
  deliver,
  recordOf,
  roomy,
  say,
  seqsOf,
  spec,
} from "../../../src/testing/store/material.ts";
import { virtualClock } from "../../../src/testing/virtual-clock.ts";

const toClose: (() => void)[] = [];
afterEach(() => {
  for (const close of toClose.splice(0)) close();
});

const storeWithThread = async () => {
  const opened = openFile(":memory:", { synchronous: "normal", busyTimeout: 0, logger: silentLogger });
  const store = storeOn(opened, { busyTimeout: 0, clock: virtualClock() });
  toClose.push(() => void store.close());
  await store.create(alpha, spec, 1);
  const bytes = () => {
    const { page_count } = opened.connection.prepare("PRAGMA page_count").get() as { page_count: number };
    return page_count * 4_096;
  };
  return { store, bytes };
};

/** A turn with one call and its result, as large as said, and the facts that the thread machine makes of them. */
const exchange = (position: number, size: number) => {
  const { callId } = callOf(alpha, position);
  const call = { type: "call" as const, callId, providerCallId: "p", name: "look", args: { text: "a".repeat(size) } };
  const text = "t".repeat(size);
  const result: ResultEntry = {
    kind: "result",
    at: 1,
    callId,
    name: "look",
    origin: "tool",
    content: [{ type: "text", text: "r".repeat(size) }],
    error: true,
    display: [{ type: "text", content: "d".repeat(size) }],
  };
  const entries: PlacedEntry[] = [
    { position, entry: { kind: "turn", at: 1, parts: [{ type: "text", text }, call] } },
    { position: position + 1, entry: result },
  ];
  const { providerCallId, name, args } = call;
  const { origin, content, error, display } = result;
  const facts: Fact[] = [
    ...entries.map(({ position, entry }): Fact => ({ type: "entry.added", position, entry })),
    { type: "call.made", callId, providerCallId, name, args, display: "look()", passive: false },
    { type: "round.ended", outcome: "finished", usage: null, model: "m", text },
    { type: "call.settled", callId, name, origin, content, ...(error && { error }), ...(display && { display }) },
    { type: "state.changed", state: "idle" },
  ];
  return { entries, facts };
};

describe("the database", () => {
  it("holds the body of an entry once, however many facts tell of it", async () => {
    const { store, bytes } = await storeWithThread();
    const before = bytes();
    const { entries, facts } = exchange(0, 100_000);
    await store.commit(commitOf(alpha, 0, { entries, facts }), 2);
    const once = Buffer.byteLength(JSON.stringify(entries));
    expect(bytes() - before).toBeLessThan(once * 1.1);
    expect(await store.history(alpha)).toEqual(entries);
    const told = (await store.feed({ after: 0, limit: 100 })).map(({ threadId, feed, at, ...fact }) => fact);
    expect(told).toEqual(facts);
  });

  it("holds the body of an input once, in the inbox and in the feed", async () => {
    const { store, bytes } = await storeWithThread();
    const before = bytes();
    const given = deliver(alpha, "a", say("x".repeat(100_000)));
    await store.accept([given], roomy);
    expect(bytes() - before).toBeLessThan(110_000);
    expect(await store.feed({ after: 0, limit: 9 })).toMatchObject(given.facts);
    await store.commit(commitOf(alpha, 0, { consumed: [1] }), 2);
    expect(await store.feed({ after: 0, limit: 9 }), "also when it waits no more").toMatchObject(given.facts);
  });

  it("tells a fact as it was given, when it says something else than the entry or input beside it", async () => {
    const { store } = await storeWithThread();
    const { entries, facts } = exchange(0, 10);
    const near = facts.map((fact): Fact => {
      if (fact.type === "entry.added") return { ...fact, position: fact.position + 7 };
      if (fact.type === "call.made") return { ...fact, args: {} };
      if (fact.type === "round.ended") return { ...fact, text: "" };
      if (fact.type === "call.settled")
        return { type: fact.type, callId: fact.callId, name: "look", origin: "tool", content: [] };
      return fact;
    });
    await store.commit(commitOf(alpha, 0, { entries, facts: near }), 2);
    const accepted: Fact = { type: "input.accepted", dedupId: "another", input: say("else") };
    await store.accept([{ ...deliver(alpha, "a"), facts: [accepted] }], roomy);
    const told = (await store.feed({ after: 0, limit: 100 })).map(({ threadId, feed, at, ...fact }) => fact);
    expect(told).toEqual([...near, accepted]);
  });

  it("grows by what comes in, not by what is there", async () => {
    const { store, bytes } = await storeWithThread();
    let version = 0;
    const grow = async (steps: number) => {
      const before = bytes();
      for (let step = 0; step < steps; step++, version++) {
        const consumed = seqsOf(await store.accept([deliver(alpha, `${version}`)], roomy));
        const record = recordOf({ turns: version, nextPosition: version * 2 });
        await store.commit(commitOf(alpha, version, { ...exchange(version * 2, 100), consumed, record }), 2);
      }
      return bytes() - before;
    };
    await grow(50);
    const [early, late] = [await grow(200), await grow(200)];
    expect(late / early).toBeLessThan(1.2);
  });
});
