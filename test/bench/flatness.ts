import { memoryStore } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import type { Store } from "../../src/store/store.ts";
import { inFolder } from "./folder.ts";
import { mean, median, print, threadTime } from "./measure.ts";
import { costsOf, tripModel, tripSystem } from "./trips.ts";

/** The round trips of one thread that are compared: a hundred behind 50, a hundred behind 800. */
const early = 50;
const late = 800;
const compared = 100;

/** The first runs only warm up: what is compiled late would make the early round trips dear. */
const warmUps = 2;
const runs = 8;

const flatness = async (bench: string, store: Store): Promise<boolean> => {
  const system = await tripSystem(store);
  const of = { "behind 50": [] as number[], "behind 800": [] as number[] };
  const trips = late + compared;
  for (let run = -warmUps; run < runs; run++) {
    globalThis.gc?.();
    const script = tripModel(trips, threadTime);
    await system.run(script);
    if (run < 0) continue;
    const costs = costsOf(script);
    of["behind 50"].push(mean(costs.slice(early, early + compared)));
    of["behind 800"].push(mean(costs.slice(late, late + compared)));
  }
  await system.stop();
  const ratio = median(of["behind 800"]) / median(of["behind 50"]);
  return print({
    bench,
    ratio,
    atMost: 1.2,
    of,
    unit: "µs of thread time a round trip",
    each: { "round trips": compared },
  });
};

export const flatInMemory = (): Promise<boolean> =>
  flatness("round trip in memory, behind 800 against behind 50", memoryStore());

export const flatOnDisk = (): Promise<boolean> =>
  inFolder((file) =>
    flatness("round trip on SQLite, behind 800 against behind 50", sqliteStore(file(), { synchronous: "normal" })),
  );
