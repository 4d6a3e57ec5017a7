import { silentLogger } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { overnight, researcher } from "../../docs/examples/overnight.ts";
import { scriptedResearcher } from "../../docs/examples/overnight-script.ts";
import { virtualClock } from "../../src/testing/virtual-clock.ts";
import { inFolder } from "./folder.ts";
import { print } from "./measure.ts";

const hour = 3_600_000;
const day = 24 * hour;
const half = 42;
const topics = ["glaciers", "tides", "storms", "abyss"];

/** KB of heap that is reachable. The registries of what nobody holds any more are swept between turns. */
const heap = async (): Promise<number> => {
  if (!globalThis.gc) throw new Error("Reading the heap takes node --expose-gc; `npm run bench` gives it.");
  globalThis.gc();
  await new Promise((resolve) => setTimeout(resolve, 100));
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1024;
};

/** The program of docs/overnight.md in one process, night after night: the model is away for three hours in each. */
export const flatOvernight = (): Promise<boolean> =>
  inFolder(async (file) => {
    const evening = Date.UTC(2030, 0, 1, 22);
    const clock = virtualClock(evening);
    const hours = (): number => ((clock.now() - evening) % day) / hour;
    const model = scriptedResearcher(() => hours() >= 1 && hours() < 4);
    const library = {
      search: (topic: string) =>
        new Promise<string>((resolve) => {
          const takes = (topics.indexOf(topic) + 1) * 0.6;
          // The last one does not end in time.
          if (topic !== "abyss") clock.setTimeout(() => resolve(`All about ${topic}.`), takes * hour);
        }),
      publish: async () => "It is published.",
    };
    const store = sqliteStore(file(), { synchronous: "normal" });
    const limits = { pollInterval: 6 * hour, lease: day };
    const system = await researcher(library, { model, store, clock, limits, logger: silentLogger, random: () => 0.5 });

    const nights = async (from: number, to: number): Promise<number> => {
      for (let index = from; index < to; index++) {
        const report = overnight(system, new Date(evening + index * day).toISOString().slice(0, 10), topics);
        await clock.advance(day);
        if (!(await report)?.includes("storms")) throw new Error(`Night ${index} has the report ${await report}.`);
      }
      return heap();
    };
    const before = await nights(0, half);
    const after = await nights(half, 2 * half);
    const threads = (await system.threads({ limit: 1_000 })).length;
    await system.stop();
    await store.close();
    return print({
      bench: "heap of the overnight program after 2,000 simulated hours against after 1,000",
      ratio: after / before,
      atMost: 1.05,
      of: { before: [before], after: [after] },
      unit: "KB of heap",
      each: {
        nights: 2 * half,
        threads,
        requests: model.requestCount,
        "bytes a night": Math.round(((after - before) * 1024) / half),
      },
    });
  });
