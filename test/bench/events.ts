import { Subject } from "rxjs";
import { createSystem, defineTool, memoryStore, silentLogger } from "wakeful";
import { assign, createActor, fromCallback, setup } from "xstate";
import { z } from "zod";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import type { ProducerEvent } from "../../src/tool/define.ts";
import { interleaved, median, print, threadTime } from "./measure.ts";

const events = 10_000;

/** What the events come from, in turns of the loop, as a socket would bring them. */
const emit = async (source: Subject<ProducerEvent>, associative: boolean, count: number): Promise<void> => {
  for (let index = 0; index < count; index++) {
    source.next({ text: `event ${index}`, associative });
    if (index % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
  }
};

/** An actor that listens to a subject and counts. */
const listener = (source: Subject<ProducerEvent>) =>
  setup({
    types: { events: {} as { type: "event"; text: string }, context: {} as { heard: number } },
    actors: {
      listen: fromCallback(({ sendBack }) => {
        const subscription = source.subscribe(({ text }) => sendBack({ type: "event", text }));
        return () => subscription.unsubscribe();
      }),
    },
    actions: { count: assign(({ context }) => ({ heard: context.heard + 1 })) },
  }).createMachine({
    id: "listener",
    context: { heard: 0 },
    invoke: { src: "listen" },
    on: { event: { actions: "count" } },
  });

const bare = async (): Promise<number> => {
  const source = new Subject<ProducerEvent>();
  const actor = createActor(listener(source)).start();
  const before = threadTime();
  await emit(source, true, events);
  const cost = threadTime() - before;
  if (actor.getSnapshot().context.heard !== events) throw new Error("The actor did not hear all events.");
  actor.stop();
  return cost / events;
};

/** A thread with one subscription to `source`, at rest. */
const subscriber = async (source: Subject<ProducerEvent>, script: () => unknown) => {
  const watch = defineTool({
    name: "watch",
    description: "Watches.",
    inputSchema: z.object({}),
    subscribe: () => ({ started: "watching", events: source }),
  });
  let asked = 0;
  const model = scriptedModel(() => (asked++ === 0 ? { calls: [{ name: "watch", args: {} }] } : (script() as string)), {
    keep: 0,
  });
  const system = await createSystem({
    model,
    store: memoryStore(),
    tools: [watch],
    logger: silentLogger,
    limits: { inbox: 2 * events, rounds: 1_000_000, children: 2 * events },
  });
  const thread = await system.open("t");
  await thread.send("watch");
  while (!source.observed) await new Promise((resolve) => setImmediate(resolve));
  await thread.atRest();
  return { system, thread };
};

const wakeful = async (): Promise<number> => {
  const source = new Subject<ProducerEvent>();
  const { system, thread } = await subscriber(source, () => "noted");
  const before = threadTime();
  await emit(source, true, events);
  const heard = async () => (await thread.history()).filter(({ entry }) => entry.kind === "event").length;
  while ((await heard()) < events) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await thread.atRest();
  }
  const cost = threadTime() - before;
  await system.stop();
  return cost / events;
};

/** Each event is stored, deduplicated and read by the model; the bare actor counts. */
export const subscriptionEvents = async (): Promise<boolean> => {
  const of = await interleaved({ bare, wakeful }, 3, 1);
  return print({
    bench: "10,000 associative events through one subscription against a bare Subject into a bare actor",
    ratio: median(of.bare) / median(of.wakeful),
    of,
    unit: "µs of thread time an event; the ratio is of events a second",
    each: { events },
  });
};

const burst = 1_000;

const heap = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024;
};

/** A burst of events that are each handled in a child: how many rounds are open at once, and what a handled one leaves. */
export const eventBurst = async (): Promise<boolean> => {
  const source = new Subject<ProducerEvent>();
  let open = 0;
  let most = 0;
  let closing = 0;
  const marks: number[] = [];
  const watch = defineTool({
    name: "watch",
    description: "Watches.",
    inputSchema: z.object({}),
    subscribe: () => ({ started: "watching", events: source }),
  });
  let asked = 0;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const model = scriptedModel(
    async ({ prompt }: { readonly prompt: readonly unknown[] }) => {
      asked++;
      if (asked === 1) return { calls: [{ name: "watch", args: {} }] };
      if (asked === 2) return "watching";
      most = Math.max(most, ++open);
      await new Promise((done) => setImmediate(done));
      open--;
      const id = /Your thread id is (\S+)\. Your full/.exec(JSON.stringify(prompt.slice(-3)))?.[1] ?? "";
      if (++closing % 250 === 0) marks.push(heap());
      if (closing === burst) resolve();
      return { calls: [{ name: "close_thread", args: { thread_id: id } }] };
    },
    { keep: 0 },
  );
  const system = await createSystem({
    model,
    store: memoryStore(),
    tools: [watch],
    logger: silentLogger,
    limits: { inbox: 2 * burst, rounds: 1_000_000 },
  });
  const thread = await system.open("t");
  await thread.send("watch");
  while (!source.observed) await new Promise((done) => setImmediate(done));
  await thread.atRest();
  await emit(source, false, burst);
  await over;
  await thread.atRest({ tree: true });
  const stored = (await system.threads()).length;
  await system.stop();
  const [first = 0, , , last = 0] = marks;
  return print({
    bench: "a burst of 1,000 events handled in children: rounds open at once against eventChildrenAtOnce",
    ratio: most / 4,
    atMost: 1,
    of: { "rounds open at once": [most], "KB of heap after 250": [first], "KB of heap after 1,000": [last] },
    unit: "rounds; KB, with the memory store, which keeps every history",
    each: { events: burst, threads: stored, "KB a handled event": Number(((last - first) / 750).toFixed(2)) },
  });
};
