import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { overnight, researcher } from "../../docs/examples/overnight.ts";
import { scriptedResearcher } from "../../docs/examples/overnight-script.ts";
import { memoryStore, type Store, silentLogger } from "../../src/index.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { virtualClock } from "../../src/testing/virtual-clock.ts";
import { fileOf } from "../docs/examples/process.ts";

const hour = 3_600_000;
const evening = Date.UTC(2030, 0, 1, 22);
const night = "2030-01-01";

/** What a search says, and after how many hours; without hours it never ends. */
interface Search {
  readonly hours?: number;
  readonly fails?: boolean;
}

const world = (searches: Readonly<Record<string, Search>>, isAway: (hoursSinceEvening: number) => boolean) => {
  const clock = virtualClock(evening);
  const hours = () => (clock.now() - evening) / hour;
  const model = scriptedResearcher(() => isAway(hours()));
  const published = new Map<string, string>();
  const stopped: string[] = [];
  const library = {
    search: (topic: string, signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        const { hours: takes, fails } = searches[topic] ?? {};
        signal.addEventListener("abort", () => stopped.push(topic));
        const end = () => (fails ? reject(new Error("the library is on fire")) : resolve(`All about ${topic}.`));
        if (takes !== undefined) clock.setTimeout(end, takes * hour);
      }),
    publish: async (report: string, key: string) => {
      if (published.has(key)) throw new Error(`${key} comes twice`);
      published.set(key, report);
      return "It is published.";
    },
  };
  // Nobody else writes into the store, so there is no need to look often while hours go by.
  const limits = { pollInterval: 6 * hour, lease: 24 * hour };
  const start = (store: Store) =>
    researcher(library, { model, store, clock, limits, logger: silentLogger, random: () => 0.5 });
  const topics = Object.keys(searches);
  return { clock, hours, start, topics, model, stopped, published: () => [...published.values()] };
};

describe("research overnight", { timeout: 120_000 }, () => {
  it("ends with one report of all topics, over an outage of the model and processes that end, on one file (R1, R2)", async () => {
    const { clock, start, topics, published, model } = world(
      { glaciers: { hours: 0.3 }, tides: { hours: 0.8 }, storms: { hours: 1.2 } },
      (now) => now >= 0.9 && now < 4,
    );
    const database = fileOf()("research.db");
    const reports: (string | undefined)[] = [];
    for (const stay of [0.5, 2, 0.1, 9]) {
      const store = sqliteStore(database, { synchronous: "normal" });
      const system = await start(store);
      const report = overnight(system, night, topics);
      await clock.advance(stay * hour);
      await system.stop();
      reports.push(await report);
      await store.close();
    }
    const whole = "All about glaciers. All about storms. All about tides.";
    expect(reports).toEqual([undefined, undefined, undefined, whole]);
    expect(published()).toEqual([whole]);
    // The model that asked to be left alone for an hour was left alone.
    expect(model.requestCount).toBeLessThan(30);
  });

  it("reports at seven what there is; what still searches is told to stop, and all of the night has ended", async () => {
    const { clock, start, topics, stopped } = world({ glaciers: { hours: 1 }, abyss: {} }, () => false);
    const system = await start(memoryStore());
    const report = overnight(system, night, topics);
    await clock.advance(9 * hour - 1);
    expect(stopped).toEqual([]);
    await clock.advance(1);
    expect(await report).toBe("All about glaciers.");
    const thread = await system.thread(`research/${night}`);
    await thread?.atRest({ tree: true });
    expect(stopped).toEqual(["abyss"]);
    expect((await system.threads()).map(({ state }) => state)).toEqual(["closed", "closed", "closed"]);
    await system.stop();
  });

  it("goes on with the others when a search fails, and names no cause to the model", async () => {
    const { clock, start, topics } = world({ glaciers: { hours: 1 }, tides: { hours: 2, fails: true } }, () => false);
    const system = await start(memoryStore());
    const report = overnight(system, night, topics);
    await clock.advance(3 * hour);
    expect(await report).toMatch(/^All about glaciers\. Nothing: The tool failed \(reference \w+/);
    await system.stop();
  });

  it("has no report of a night that was halted, until somebody writes to it", async () => {
    const { clock, start, topics, stopped, published } = world(
      { glaciers: { hours: 1 }, tides: { hours: 3 } },
      () => false,
    );
    const system = await start(memoryStore());
    const report = overnight(system, night, topics);
    await clock.advance(2 * hour);
    const thread = await system.thread(`research/${night}`);
    await thread?.halt();
    await clock.advance(20 * hour);
    expect(await report).toBeUndefined();
    expect([stopped, published()]).toEqual([["tides"], []]);

    const resumed = overnight(system, night, topics);
    expect(await resumed).toBeUndefined();
    await thread?.send("Go on.");
    const late = overnight(system, night, topics);
    await clock.advance(20 * hour);
    expect(await late).toContain("All about glaciers.");
    await system.stop();
  });

  it("begins a night once, however often it is asked, and keeps nights apart", async () => {
    const { clock, start, topics, published } = world({ glaciers: { hours: 1 } }, () => false);
    const system = await start(memoryStore());
    const reports = [overnight(system, night, topics), overnight(system, night, ["other topics"])];
    await clock.advance(3 * hour);
    expect(await Promise.all(reports)).toEqual(["All about glaciers.", "All about glaciers."]);
    const next = overnight(system, "2030-01-02", topics);
    await clock.advance(24 * hour);
    expect([await next, await overnight(system, night, topics)]).toEqual([
      "All about glaciers.",
      "All about glaciers.",
    ]);
    expect(published()).toHaveLength(2);
    await system.stop();
  });

  it("always ends with exactly one report, whenever the model is away and whenever processes end", async () => {
    const hoursOf = (max: number) => fc.integer({ min: 1, max: max * 10 }).map((tenths) => tenths / 10);
    const search = fc.record({ hours: hoursOf(12), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(search, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(hoursOf(12), hoursOf(8)), { maxLength: 3 }),
        fc.array(hoursOf(6), { maxLength: 4 }),
        async (searches, outages, stays) => {
          const named = Object.fromEntries(searches.map((each, index) => [`topic-${index}`, each]));
          const { clock, start, topics, published } = world(named, (now) =>
            outages.some(([from, length]) => now >= from && now < from + length),
          );
          const store = memoryStore();
          for (const stay of stays) {
            const system = await start(store);
            const report = overnight(system, night, topics);
            await clock.advance(stay * hour);
            await system.stop();
            await report;
          }
          const system = await start(store);
          const report = overnight(system, night, topics);
          await clock.advance(48 * hour);
          const told = await report;
          expect(published()).toEqual([told]);
          for (const [index, { hours, fails }] of searches.entries())
            if (outages.length + stays.length === 0 && hours < 9)
              expect(told).toContain(fails ? "Nothing: " : `All about topic-${index}.`);
          await system.stop();
          expect((await store.threads()).every(({ state }) => state === "closed")).toBe(true);
        },
      ),
      { numRuns: 20 },
    );
  });
});
