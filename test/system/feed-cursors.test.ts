import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSystem,
  FeedCursorError,
  type FeedItem,
  memoryStore,
  OptionError,
  silentLogger,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wakeful-cursors-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const stores: readonly (readonly [string, () => Store])[] = [
  ["in memory", () => memoryStore()],
  ["on disk", () => sqliteStore(join(folder, "a.db"), { synchronous: "normal" })],
];

/** A system that has stopped after a few facts: readers of its feed end by themselves. */
const stopped = async (store: Store) => {
  const system = await createSystem({ model: scriptedModel(() => "ok"), store, logger: silentLogger });
  await (await system.open("a")).ask("one");
  await (await system.open("b")).ask("two");
  await system.stop();
  return system;
};

const all = async (feed: AsyncIterable<FeedItem>): Promise<FeedItem[]> => {
  const facts: FeedItem[] = [];
  for await (const fact of feed) facts.push(fact);
  return facts;
};

describe.each(stores)("a cursor into the feed %s", (_, open) => {
  it("works at every position there is, and at no other", async () => {
    const store = open();
    const system = await stopped(store);
    const facts = await all(system.feed());
    const last = facts.at(-1)?.feed ?? 0;
    for (let after = 0; after <= last; after++)
      expect(await all(system.feed({ after }))).toEqual(facts.filter(({ feed }) => feed > after));
    for (const after of [last + 1, last + 2, Number.MAX_SAFE_INTEGER])
      await expect(all(system.feed({ after }))).rejects.toThrow(FeedCursorError);
    await store.close();
  });

  it("from another store says so, rather than skip what comes, also where one thread is read", async () => {
    const store = open();
    const system = await createSystem({ model: scriptedModel(() => "ok"), store, logger: silentLogger });
    await (await system.open("a")).ask("one");
    const reading = all(system.feed({ after: 500, where: { threadId: "a" } }));
    await expect(reading).rejects.toMatchObject({ code: "FEED_CURSOR", after: 500 });
    await expect(reading).rejects.toThrow("Begin at 0, or at a position that was read from this store.");
    await system.stop();
    await store.close();
  });

  it("at another thread's fact serves a reader of one thread that has nothing to say behind it", async () => {
    const store = open();
    const system = await stopped(store);
    const last = (await all(system.feed())).at(-1)?.feed ?? 0;
    expect(await all(system.feed({ after: last, where: { threadId: "a" } }))).toEqual([]);
    await store.close();
  });
});

describe("a cursor that is no position", () => {
  it("is refused at once, whatever it is, and a text is shown as one", async () => {
    const system = await stopped(memoryStore());
    const near = fc.oneof(
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, 2 ** 53, null, "", "5", [], {}, true, 5n),
      fc.integer({ max: -1 }),
      fc.nat().map(String),
      fc.nat().map((whole) => whole + 0.5),
    );
    fc.assert(
      fc.property(near, (after) => {
        expect(() => system.feed({ after: after as number })).toThrow(OptionError);
      }),
    );
    expect(() => system.feed({ after: "5" as unknown as number })).toThrow('is "5"; give the `feed` of the last fact');
  });
});
