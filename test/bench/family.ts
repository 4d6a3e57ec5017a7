import { createSystem, memoryStore, type System, silentLogger } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import type { Store } from "../../src/store/store.ts";
import { inFolder } from "./folder.ts";
import { interleaved, mean, median, print, threadTime, wallTime } from "./measure.ts";

/** What parents and children do here makes many rounds and many children. */
const limits = { rounds: 100_000, equalCalls: 100_000, children: 100_000 };

const systemOn = (store: Store, script: Script): Promise<System> =>
  createSystem({ model: scriptedModel(script, { keep: 0 }), store, limits, logger: silentLogger });

const spawn = { calls: [{ name: "spawn_thread", args: { instructions: "look", child_of: ["parent"] } }] };
const isOfParent = (prompt: readonly { readonly role: string; readonly content: unknown }[]): boolean =>
  prompt[0]?.role === "system" && prompt[0].content === "parent";

const children = 1_000;

/**
 * A thread that spawns a child with each of a thousand turns; the children say a word and rest. µs of thread time for each
 * child, its own round included, by hundreds.
 */
const spawning = async (store: Store): Promise<readonly number[]> => {
  const marks: number[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const system = await systemOn(store, ({ prompt }) => {
    // A child inherits the instructions too: its prompt goes on behind a seed that names no turn of its own.
    const last = JSON.stringify(prompt.at(-1));
    if (!isOfParent(prompt) || last.includes("You are a child thread")) return "seen";
    if (marks.length === children) {
      resolve();
      return "done";
    }
    marks.push(threadTime());
    return spawn;
  });
  const parent = await system.open("parent", { instructions: "parent" });
  await parent.send("go");
  await over;
  await parent.atRest({ tree: true });
  const end = threadTime();
  await system.stop();
  await store.close();
  const costs = [...marks, end].slice(1).map((instant, index) => instant - (marks[index] ?? 0));
  return Array.from({ length: children / 100 }, (_, hundred) => mean(costs.slice(100 * hundred, 100 * hundred + 100)));
};

const growth = async (store: () => Store, runs: number) => {
  const of = await interleaved({ spawning: () => spawning(store()) }, runs, 1);
  // The last hundred ends with whatever the tree does before it rests; the first pays for what is made once.
  const ratios = of.spawning.map((hundreds) => (hundreds[8] ?? Number.NaN) / (hundreds[1] ?? Number.NaN));
  return {
    ratio: median(ratios),
    of: {
      second: of.spawning.map((hundreds) => hundreds[1] ?? Number.NaN),
      ninth: of.spawning.map((hundreds) => hundreds[8] ?? Number.NaN),
    },
    unit: "µs of thread time a child, of the second and of the ninth hundred",
    each: { children },
  };
};

/** Linear is 1; a request that is a thousand entries longer costs a copy of the list of its messages. */
export const spawningInMemory = async (): Promise<boolean> =>
  print({
    bench: "the cost of a child does not grow with its siblings, in memory",
    atMost: 2,
    ...(await growth(memoryStore, 3)),
  });

export const spawningOnDisk = (): Promise<boolean> =>
  inFolder(async (file) =>
    print({
      bench: "the cost of a child does not grow with its siblings, on SQLite at NORMAL",
      atMost: 2,
      ...(await growth(() => sqliteStore(file(), { synchronous: "normal" }), 3)),
    }),
  );

/** Opens children of a thread whose history has `entries`; µs on the wall from the turn to the child's request. */
const openingAfter = async (entries: number): Promise<{ readonly cost: number; readonly copied: number }> => {
  const store = memoryStore();
  const costs: number[] = [];
  let before = 0;
  const system = await systemOn(store, ({ prompt }) => {
    const last = JSON.stringify(prompt.at(-1));
    if (last.includes("You are a child thread")) {
      costs.push(wallTime() - before);
      return "seen";
    }
    if (!last.includes("split")) return "so it is";
    before = wallTime();
    return spawn;
  });
  const parent = await system.open("parent", { instructions: "parent" });
  for (let index = 0; index < entries / 2; index++) {
    await parent.send(`message ${index}`);
    await parent.atRest();
  }
  const grown = (await parent.history()).length;
  for (let index = 0; index < 30; index++) {
    await parent.send("split");
    await parent.atRest({ tree: true });
  }
  const own = await Promise.all(
    (await system.threads({ parent: "parent" as never })).map(
      async ({ threadId }) => (await store.history(threadId)).length,
    ),
  );
  await system.stop();
  if (grown < entries) throw new Error(`The thread has ${grown} entries, and ${entries} were to be there.`);
  // Its seed and its one turn are the child's own.
  return { cost: median(costs), copied: Math.max(...own) - 2 };
};

/** A child sees its parent's history by reference. */
export const childOfLongThread = async (): Promise<boolean> => {
  const copied: number[] = [];
  const of = await interleaved(
    {
      short: async () => (await openingAfter(10)).cost,
      long: async () => {
        const measured = await openingAfter(10_000);
        copied.push(measured.copied);
        return measured.cost;
      },
    },
    3,
    1,
  );
  return print({
    bench: "opening a child of a thread with 10,000 entries against one of a thread with 10",
    ratio: median(of.long) / median(of.short),
    atMost: 2,
    of,
    unit: "µs on the wall from the turn that spawns to the child's first request",
    each: { "entries copied": Math.max(...copied) },
  });
};
