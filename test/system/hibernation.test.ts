import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSystem,
  defineTool,
  eventFor,
  memoryStore,
  resultFor,
  type Store,
  type SystemOptions,
  silentLogger,
  type Thread,
  type ThreadState,
} from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

/** Counts how often threads are loaded; what is loaded again had left memory. */
const counting = (store: Store = memoryStore()) => {
  const loads = new Map<string, number>();
  const counted: Store = {
    ...store,
    async load(threadId) {
      loads.set(threadId, (loads.get(threadId) ?? 0) + 1);
      return store.load(threadId);
    },
  };
  return { store: counted, loads: (id: string) => loads.get(id) ?? 0 };
};

const start = async (script: Script, { store, loads } = counting(), more: Partial<SystemOptions> = {}) => {
  const clock = virtualClock();
  const model = scriptedModel(script, { strict: true });
  const system = await createSystem({ model, store, clock, logger: silentLogger, ...more });
  return { system, model, clock, store, loads };
};
const minute = 60_000;

describe("a thread at rest", () => {
  it("leaves memory after a minute, and comes back on input with the whole conversation", async () => {
    const { system, clock, loads, model } = await start(["one", "two"]);
    const thread = await system.open("t");
    await thread.ask("first");
    const before = loads("t");
    await clock.advance(minute + 6_000);
    expect(await thread.ask("second")).toBe("two");
    expect(loads("t")).toBe(before + 1);
    expect(JSON.stringify(model.requests[1]?.prompt)).toMatch(/first.*one.*second/);
    await system.stop();
  });

  it("stays while it is used, each use a minute more", async () => {
    const { system, clock, loads } = await start(() => "ok");
    const thread = await system.open("t");
    const before = loads("t");
    for (let turn = 0; turn < 5; turn++) {
      await thread.ask("hello");
      await clock.advance(minute - 1_000);
    }
    expect(loads("t")).toBe(before);
    await system.stop();
  });

  it("leaves at once when there are more than may be in memory, the least recently used first", async () => {
    const { system, loads } = await start(() => "ok", counting(), { limits: { residents: 3 } });
    const threads: Thread[] = [];
    for (const id of ["a", "b", "c", "d", "e"]) {
      const thread = await system.open(id);
      await thread.ask("hello");
      threads.push(thread);
    }
    const all = ["a", "b", "c", "d", "e"];
    const before = all.map(loads);
    for (const thread of threads.slice(2)) await thread.ask("again");
    expect(all.map(loads)).toEqual(before);
    for (const thread of threads.slice(0, 2)) await thread.ask("again");
    expect(all.map((id, index) => loads(id) - (before[index] ?? 0))).toEqual([1, 1, 0, 0, 0]);
    await system.stop();
  });

  it("leaves whatever its calls and producers do, which work on and find it again", async () => {
    const done = Promise.withResolvers<string>();
    const addresses: string[] = [];
    const base = { description: "", inputSchema: z.object({}) };
    let asked = 0;
    const signals: AbortSignal[] = [];
    const work = defineTool({
      ...base,
      name: "work",
      run: (_, { signal }) => {
        signals.push(signal);
        return done.promise;
      },
    });
    const hand = defineTool({ ...base, name: "hand", dispatch: (_, { address }) => void addresses.push(address) });
    const ask = defineTool({
      ...base,
      name: "ask",
      run: async (_, call) => {
        asked++;
        return (await call.ask({ prompt: "which?", choices: ["a", "b"], default: "a" })).choice;
      },
    });
    const calls = { calls: ["work", "hand", "ask", "sleep_until_event_or_input"].map((name) => ({ name, args: {} })) };
    const { system, clock, loads } = await start([calls, "read all"], counting(), { tools: [work, hand, ask] });
    const thread = await system.open("t");
    await thread.send("go");
    await settle();
    expect(thread.state).toBe("awaitingActiveCall");
    for (const end of [
      () => done.resolve("worked"),
      () => system.deliver(resultFor(addresses[0] ?? "", "by hand")),
      async () => thread.answer((await thread.choices())[0]?.choiceId ?? "", "b"),
    ]) {
      const before = loads("t");
      await clock.advance(2 * minute);
      await end();
      await settle();
      expect(loads("t")).toBeGreaterThan(before);
    }
    expect(await thread.atRest()).toBe("idle");
    expect(asked).toBe(1);
    expect(signals[0]?.aborted).toBe(false);
    const texts = (await thread.history()).flatMap(({ entry }) =>
      entry.kind === "result" && entry.content[0]?.type === "text" ? [entry.content[0].text] : [],
    );
    expect(texts.slice(0, 3)).toEqual(["worked", "by hand", "b"]);
    await system.stop();
  });

  it("is woken by its timer, and by an event of a subscription that works on", async () => {
    const addresses: string[] = [];
    const watch = defineTool({
      name: "watch",
      description: "",
      inputSchema: z.object({}),
      dispatch: (_, { address }) => void addresses.push(address),
    });
    const script = [
      { calls: [{ name: "watch", args: {} }] },
      { calls: [{ name: "sleep", args: { seconds: 600 } }] },
      "slept",
      "heard",
    ];
    const { system, clock, loads } = await start(script, counting(), { tools: [watch] });
    const thread = await system.open("t");
    await thread.send("go");
    await settle();
    await system.deliver(resultFor(addresses[0] ?? "", "watching", { subscription: true }));
    await settle();
    expect(thread.state).toBe("idlePassive");
    await clock.advance(5 * minute);
    const asleep = loads("t");
    await clock.advance(5 * minute);
    expect(await thread.atRest()).toBe("subscribed");
    expect(loads("t")).toBe(asleep + 1);
    await clock.advance(5 * minute);
    await system.deliver(eventFor(addresses[0] ?? "", { text: "tick", associative: true }));
    await settle();
    expect((await thread.history()).at(-1)?.entry).toMatchObject({ kind: "turn" });
    await system.stop();
  });

  it("keeps the faces that somebody holds right, without being woken for them", async () => {
    const { system, clock, loads } = await start(() => "ok");
    const [thread, other] = [await system.open("t"), await system.open("t")];
    const states: ThreadState[] = [];
    thread.state$.subscribe((state) => states.push(state));
    const updates: string[] = [];
    thread.updates$.subscribe(({ type }) => updates.push(type));
    await other.ask("first");
    await clock.advance(2 * minute);
    const before = loads("t");
    expect([thread.state, thread.view().state, await thread.atRest()]).toEqual(["idle", "idle", "idle"]);
    expect((await thread.snapshot()).history).toHaveLength(2);
    expect(await thread.history()).toHaveLength(2);
    expect(loads("t")).toBe(before);
    await other.ask("second");
    await clock.advance(2 * minute);
    expect(thread.view().usage.outputTokens).toBe(other.view().usage.outputTokens);
    expect(states).toEqual(["idle", "running", "idle", "running", "idle"]);
    expect(updates.filter((type) => type === "round.started")).toHaveLength(2);
    await system.stop();
  });

  it("is not at rest for whoever has just sent something to it while it was away", async () => {
    const { system, clock } = await start(() => "ok");
    const thread = await system.open("t");
    await thread.ask("first");
    await clock.advance(2 * minute);
    await thread.send("second");
    await thread.atRest();
    expect(await thread.history()).toHaveLength(4);
    await system.stop();
  });

  it("is told once that an input is held back, also when it leaves memory meanwhile", async () => {
    const build = defineTool({ name: "build", description: "", inputSchema: z.object({}), dispatch: () => {} });
    const { system, clock } = await start([{ calls: [{ name: "build", args: {} }] }], counting(), { tools: [build] });
    const thread = await system.open("t");
    const deferred: string[] = [];
    thread.updates$.subscribe((update) => update.type === "input.deferred" && deferred.push(update.dedupId));
    await thread.send("go");
    await settle();
    for (const id of ["m1", "m2"]) {
      await thread.send("later", { id, whileBusy: "wait" });
      await clock.advance(2 * minute);
    }
    expect(deferred).toEqual(["m1", "m2"]);
    await system.stop();
  });

  it("has one timer for all threads, and none when nothing is in memory", async () => {
    const { system, clock } = await start(() => "ok");
    for (let index = 0; index < 20; index++) await (await system.open(`t${index}`)).ask("hello");
    expect(clock.due.filter((at) => at > 0).length).toBeLessThanOrEqual(2);
    await clock.advance(3 * minute);
    expect(clock.due).toEqual([]);
    await system.stop();
  });
});

describe("threads that leave memory at any moment at which they may", () => {
  it("come to the same histories and facts as if they had stayed", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ thread: fc.nat({ max: 2 }), pause: fc.constantFrom(0, 10, 70_000) }), { maxLength: 12 }),
        async (steps) => {
          const play = async (limits: object) => {
            const { store } = counting();
            const tool = defineTool({ name: "look", description: "", inputSchema: z.object({}), run: () => "seen" });
            const script: Script = ({ prompt }) =>
              JSON.stringify(prompt.at(-1)).includes("look at") ? { calls: [{ name: "look", args: {} }] } : "ok";
            const { system, clock } = await start(script, { store, loads: () => 0 }, { tools: [tool], limits });
            for (const [index, { thread, pause }] of steps.entries()) {
              const face = await system.open(`t${thread}`);
              await face.send(index % 3 === 0 ? `look at ${index}` : `message ${index}`, { id: `m${index}` });
              await settle();
              await clock.advance(pause);
            }
            await settle();
            await system.stop();
            const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
            return plain([
              await Promise.all(["t0", "t1", "t2"].map((id) => store.history(id as never))),
              await store.feed({ after: 0, limit: 10_000 }),
            ]);
          };
          const asleep = await play({ hibernateAfter: 1, residents: 1 });
          const awake = await play({ hibernateAfter: 1e12 });
          expect(asleep).toEqual(awake);
        },
      ),
      { numRuns: 40 },
    ));
});
