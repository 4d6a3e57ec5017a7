import { createSystem, memoryStore, silentLogger, type Thread } from "wakeful";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { interleaved, median, print, threadTime } from "./measure.ts";

const threads = 50;
const viewers = 100;
const updates = 10_000;

/** KB of heap that is reachable. */
const heap = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024;
};

const words = Array.from({ length: 50 }, (_, index) => ({ text: `word ${index} ` }));

interface Measured {
  /** µs of thread time for each update that a viewer was told, in all. */
  readonly cost: number;
  /** KB of heap after a half and at the end of the updates. */
  readonly half: number;
  readonly end: number;
}

/**
 * A root with children, all of which talk, and viewers of the whole tree, each with a loop of its own. `deaf`: one more that
 * takes its first update and then reads no more.
 */
const watched = async (deaf: boolean): Promise<Measured> => {
  let told = 0;
  let half = 0;
  const model = scriptedModel(
    ({ prompt }) => {
      const last = JSON.stringify(prompt.slice(-1));
      if (last.includes("grow") || last.includes("Spawned"))
        return prompt.length < 2 * threads
          ? { calls: [{ name: "spawn_thread", args: { instructions: "talk", child_of: ["root"] } }] }
          : "grown";
      return { chunks: words, end: "final" };
    },
    { keep: 0 },
  );
  const system = await createSystem({
    model,
    store: memoryStore(),
    logger: silentLogger,
    limits: { children: threads, equalCalls: 1_000, rounds: 1_000, readerBuffer: 1_000 },
  });
  const root = await system.open("root");
  await root.send("grow");
  await root.atRest({ tree: true });
  const family: Thread[] = [root];
  for (const { threadId } of root.view().children) {
    const child = await system.thread(threadId);
    if (child) family.push(child);
  }
  const reading = Array.from({ length: viewers }, async () => {
    for await (const _ of root.updates({ tree: true })) told++;
  });
  const sleeper = root.updates({ tree: true })[Symbol.asyncIterator]();
  if (deaf) void sleeper.next();
  const turn = async () => {
    for (const thread of family) await thread.send("talk");
    await root.atRest({ tree: true });
  };
  await turn();
  // Whatever is made once for each viewer is there by now.
  const before = threadTime();
  const start = told;
  while (told - start < (updates * viewers) / 2) await turn();
  half = heap();
  while (told - start < updates * viewers) await turn();
  const cost = (threadTime() - before) / (told - start);
  const end = heap();
  await sleeper.return?.();
  await system.stop();
  await Promise.all(reading);
  return { cost, half, end };
};

/** Memory over 10,000 updates that a hundred viewers read, and what one who does not read costs them. */
export const manyViewers = async (): Promise<boolean> => {
  const of = await interleaved({ alone: () => watched(false), beside: () => watched(true) }, 3, 1);
  const costs = (of: readonly Measured[]) => of.map(({ cost }) => cost);
  const beside = print({
    bench: "an update to 100 viewers of 50 threads beside a viewer that does not read, against one without",
    ratio: median(costs(of.beside)) / median(costs(of.alone)),
    atMost: 1.1,
    of: { alone: costs(of.alone), beside: costs(of.beside) },
    unit: "µs of thread time an update and viewer",
    each: { threads, viewers, updates },
  });
  const flat = print({
    bench: "heap after 10,000 updates to 100 viewers against that after 5,000",
    ratio: median(of.beside.map(({ end }) => end)) / median(of.beside.map(({ half }) => half)),
    atMost: 1.1,
    of: { half: of.beside.map(({ half }) => half), end: of.beside.map(({ end }) => end) },
    unit: "KB of heap, the histories of a memory store included",
    each: { threads, viewers, updates },
  });
  return beside && flat;
};
