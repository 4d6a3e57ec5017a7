import { createSystem, memoryStore, silentLogger } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { assign, createActor, fromPromise, setup, waitFor } from "xstate";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import type { Store } from "../../src/store/store.ts";
import { drain } from "./bare.ts";
import { inFolder } from "./folder.ts";
import { interleaved, median, print, threadTime } from "./measure.ts";
import { pieces } from "./trips.ts";

const threads = 1_000;
const messages = 20;
const names = Array.from({ length: threads }, (_, index) => `thread-${index}`);

/** Says the same to whoever asks. */
const talker = () => scriptedModel(() => ({ chunks: pieces, end: "final" }), { keep: 1 });

/** What a conversation must read like, entry by entry. */
const expected = Array.from({ length: messages }, (_, index) => [`message ${index}`, "turn"]).flat();

/** All threads at once; each gets its next message when it has answered the last. µs of thread time in all. */
const converse = async (say: (name: string, text: string) => Promise<unknown>): Promise<number> => {
  const before = threadTime();
  await Promise.all(
    names.map(async (name) => {
      for (let index = 0; index < messages; index++) await say(name, `message ${index}`);
    }),
  );
  return (threadTime() - before) / (threads * messages);
};

/** An actor that drains a stream for each message and keeps nothing. */
const answerer = setup({
  types: { events: {} as { type: "message"; text: string }, context: {} as { answered: number } },
  actors: { complete: fromPromise<boolean>(() => Promise.reject(new Error("not provided"))) },
  actions: { count: assign(({ context }) => ({ answered: context.answered + 1 })) },
}).createMachine({
  id: "answerer",
  context: { answered: 0 },
  initial: "idle",
  states: {
    idle: { on: { message: "completing" } },
    completing: { invoke: { src: "complete", onDone: { target: "idle", actions: "count" } } },
  },
});

const bare = async (): Promise<number> => {
  const model = talker();
  const machine = answerer.provide({ actors: { complete: fromPromise(() => drain(model)) } });
  const actors = new Map(names.map((name) => [name, createActor(machine).start()]));
  const cost = await converse(async (name, text) => {
    const actor = actors.get(name);
    if (!actor) throw new Error(`There is no actor ${name}.`);
    actor.send({ type: "message", text });
    await waitFor(actor, (snapshot) => snapshot.matches("idle"), { timeout: Number.POSITIVE_INFINITY });
  });
  for (const actor of actors.values()) actor.stop();
  return cost;
};

const wakeful = async (store: Store): Promise<number> => {
  const system = await createSystem({ model: talker(), store, logger: silentLogger });
  const opened = new Map<string, Awaited<ReturnType<typeof system.open>>>();
  for (const name of names) opened.set(name, await system.open(name));
  const cost = await converse(async (name, text) => {
    const thread = opened.get(name);
    if (!thread) throw new Error(`There is no thread ${name}.`);
    await thread.send(text);
    await thread.atRest();
  });
  for (const [name, thread] of opened) {
    const read = (await thread.history()).map(({ entry }) => (entry.kind === "user" ? entry.text : entry.kind));
    if (read.join() !== expected.join()) throw new Error(`${name} is out of order: ${read.join(", ")}`);
  }
  await system.stop();
  await store.close();
  return cost;
};

const against = async (runs: number, store: () => Store) => {
  const of = await interleaved({ bare, wakeful: () => wakeful(store()) }, runs, 1);
  return {
    ratio: median(of.bare) / median(of.wakeful),
    of,
    unit: "µs of thread time a message; the ratio is of throughput",
    each: { threads, messages },
  };
};

/** Throughput of many threads at once, against actors that keep nothing; every history is looked through for its order. */
export const manyInMemory = async (): Promise<boolean> =>
  print({
    bench: "a thousand threads in memory against bare actors",
    atLeast: 0.2,
    ...(await against(3, memoryStore)),
  });

export const manyOnDisk = (): Promise<boolean> =>
  inFolder(async (file) =>
    print({
      bench: "a thousand threads on SQLite at NORMAL against bare actors",
      atLeast: 0.1,
      ...(await against(2, () => sqliteStore(file(), { synchronous: "normal" }))),
    }),
  );
