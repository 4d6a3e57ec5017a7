import { createSystem, silentLogger } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { ThreadId } from "../../machines/history/ids.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { inFolder } from "./folder.ts";
import { median, print } from "./measure.ts";
import { pieces } from "./trips.ts";

const threads = 2_000;
const runs = 5;

/** KB of heap that is reachable. */
const heap = (): number => {
  if (!globalThis.gc) throw new Error("Reading the heap takes node --expose-gc; `npm run bench` gives it.");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1024;
};

/** KB of one thread that had one exchange and rests in memory, and KB of its history as a list of entries. */
const measured = async (file: string): Promise<{ thread: number; history: number }> => {
  const store = sqliteStore(file, { synchronous: "normal" });
  const model = scriptedModel(() => ({ chunks: pieces, end: "final" }), { keep: 0 });
  const system = await createSystem({ model, store, logger: silentLogger });
  const exchange = async (id: string) => {
    const thread = await system.open(id);
    await thread.send("Where is it, and how is it, and what will become of it?");
    await thread.atRest();
  };
  // What is made once for all of them is there after these.
  for (let index = 0; index < 100; index++) await exchange(`before-${index}`);
  const before = heap();
  for (let index = 0; index < threads; index++) await exchange(`thread-${index}`);
  const after = heap();
  const histories: unknown[] = [];
  for (let index = 0; index < threads; index++) histories.push(await store.history(ThreadId.parse(`thread-${index}`)));
  const read = heap() - after;
  if (histories.length !== threads) throw new Error(`There are ${histories.length} histories of ${threads} threads.`);
  await system.stop();
  await store.close();
  return { thread: (after - before) / threads, history: read / threads };
};

/** What a thread that rests costs as long as it is in memory, beyond its history. */
export const idleHeap = (): Promise<boolean> =>
  inFolder(async (file) => {
    const of = { thread: [] as number[], history: [] as number[] };
    for (let run = 0; run < runs; run++) {
      const { thread, history } = await measured(file());
      of.thread.push(thread);
      of.history.push(history);
    }
    const beyond = median(of.thread) - median(of.history);
    return print({
      bench: "heap of a resident idle thread beyond its history, against 10 KB",
      ratio: beyond / 10,
      atMost: 1,
      of,
      unit: "KB of heap a thread",
      each: { threads, beyond: `${beyond.toFixed(1)} KB` },
    });
  });
