import { setTimeout as later } from "node:timers/promises";
import { filter, firstValueFrom, lastValueFrom } from "rxjs";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  AnswerInterruptedError,
  createSender,
  createSystem,
  defineTool,
  InputRefusedError,
  memoryStore,
  OptionError,
  RepeatedInputError,
  resultFor,
  type System,
  SystemStoppedError,
  silentLogger,
  ThreadExistsError,
  ThreadIdError,
  ToolNameError,
  type Update,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import type { SystemOptions } from "../../src/system/api.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

const systemWith = async (options: Partial<SystemOptions> & Pick<SystemOptions, "model">): Promise<System> => {
  const system = await createSystem({ logger: silentLogger, ...options });
  systems.push(system);
  return system;
};

const look = defineTool({
  name: "look",
  description: "Looks.",
  inputSchema: z.object({ at: z.string() }),
  run: ({ at }) => `saw ${at}`,
});
const calls = (name: string, args = {}) => ({ calls: [{ id: "c1", name, args }] });

/** By hand: keeps the address it was called with. */
const byHand = () => {
  const addresses: string[] = [];
  const tool = defineTool({
    name: "build",
    description: "Builds.",
    inputSchema: z.object({}),
    dispatch: (_, call) => void addresses.push(call.address),
  });
  return { tool, addresses };
};

describe("a system", () => {
  it("answers a text, through a tool", async () => {
    const system = await systemWith({ model: scriptedModel([calls("look", { at: "it" }), "done"]), tools: [look] });
    const thread = await system.open("t");
    expect(await thread.ask("go")).toBe("done");
    const kinds = (await thread.history()).map(({ entry }) => entry.kind);
    expect(kinds).toEqual(["user", "turn", "result", "turn"]);
    expect(thread.state).toBe("idle");
  });

  it("finds the thread that is there when it is opened again, and ignores the options", async () => {
    const store = memoryStore();
    const system = await systemWith({ model: scriptedModel(["one"]), store });
    await (await system.open("t", { instructions: "be kind" })).ask("hi");
    const again = await system.open("t", { instructions: "be rude" });
    expect(await again.history()).toHaveLength(2);
    expect((await store.load(again.id as never))?.spec.instructions).toBe("be kind");
    expect((await system.thread("t"))?.id).toBe("t");
    expect(await system.thread("other")).toBeUndefined();
  });

  it("launches under a fresh id, and refuses an id that is used or is none", async () => {
    const system = await systemWith({ model: scriptedModel() });
    const [one, two] = [await system.launch(), await system.launch({ id: "two" })];
    expect(one.id).not.toBe(two.id);
    await expect(system.launch({ id: "two" })).rejects.toThrow(ThreadExistsError);
    await expect(system.open("no spaces")).rejects.toThrow(ThreadIdError);
    await expect(system.open("")).rejects.toThrow(ThreadIdError);
  });

  it("takes the same id once (R2)", async () => {
    const model = scriptedModel(["one", "two"]);
    const system = await systemWith({ model });
    const thread = await system.open("t");
    expect(await thread.send("hi", { id: "m1" })).toBe(true);
    await thread.atRest();
    expect(await thread.send("hi", { id: "m1" })).toBe(false);
    expect(await thread.send("hi", { id: "m1", sender: "other" })).toBe(true);
    await thread.atRest();
    expect(model.requestCount).toBe(2);
    await expect(thread.ask("hi", { id: "m1" })).rejects.toThrow(RepeatedInputError);
  });

  it("creates nothing for an input to an unknown thread, and says what would work", async () => {
    const system = await systemWith({ model: scriptedModel() });
    const lost = { threadId: "ghost", dedupId: "1", input: { kind: "text", text: "hi" } };
    await expect(system.deliver(lost)).rejects.toThrow(/"ghost": there is no such thread/);
    expect(await system.thread("ghost")).toBeUndefined();
  });

  it("refuses text beyond the limit and blank text; nothing of it is in the thread (R1)", async () => {
    const model = scriptedModel(["ok"]);
    const system = await systemWith({ model });
    const thread = await system.open("t");
    await expect(thread.send("x".repeat(10_000_000))).rejects.toThrow(InputRefusedError);
    await expect(thread.send("  \n")).rejects.toThrow(InputRefusedError);
    expect(await thread.history()).toEqual([]);
    await thread.ask(`lone \ud800 and nul \0`);
    expect(JSON.stringify(model.requests[0]?.prompt)).not.toMatch(/ud800|u0000/);
  });

  it("refuses what a full inbox has no room for and takes it later; results still come in", async () => {
    const { tool, addresses } = byHand();
    const model = scriptedModel([calls("build"), "ok"]);
    const system = await systemWith({ model, tools: [tool], limits: { inbox: 2 } });
    const thread = await system.open("t");
    await thread.send("go");
    await thread.atRest();
    const patient = { whileBusy: "wait" } as const;
    await thread.send("one", patient);
    await thread.send("two", patient);
    await expect(thread.send("three", { ...patient, id: "3" })).rejects.toThrow(/inbox is full/);
    expect(thread.view().deferred).toHaveLength(2);
    await system.deliver(resultFor(addresses[0] ?? "", "built"));
    await thread.atRest();
    expect(await thread.send("three", { ...patient, id: "3" })).toBe(true);
  });

  it("gives a thread the tools it asks for by name or as objects, and names clashes and strangers", async () => {
    const model = scriptedModel(() => "ok");
    const other = defineTool({
      ...{ name: "look", description: "Another.", inputSchema: z.object({}) },
      run: () => "",
    });
    const system = await systemWith({ model, tools: [], toolbox: [look] });
    const plain = await system.open("plain");
    const with1 = await system.open("with", { tools: ["look"] });
    await plain.ask("hi");
    await with1.ask("hi");
    const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(names[0]).not.toContain("look");
    expect(names[1]).toContain("look");
    await expect(system.open("x", { tools: ["nope"] })).rejects.toThrow(/"nope".*known are.*look/);
    await expect(system.open("x", { tools: [other] })).rejects.toThrow(ToolNameError);
    await expect(createSystem({ model, tools: [look, other] })).rejects.toThrow(/`tools` of the system/);
  });

  it("takes a tool that is given twice as one", async () => {
    const system = await systemWith({ model: scriptedModel(["ok"]), tools: [look, look] });
    expect(await (await system.open("t")).ask("hi")).toBe("ok");
  });

  it("ignores the options of a thread that exists, also those that could not be met", async () => {
    const store = memoryStore();
    const first = await systemWith({ model: scriptedModel(["one"]), store, toolbox: [look] });
    await (await first.open("t", { tools: ["look"] })).ask("hi");
    await first.stop();
    const next = await systemWith({ model: scriptedModel(["two"]), store });
    expect(await (await next.open("t", { tools: ["look"] })).ask("hi")).toBe("two");
  });

  it("holds what tools send to the same door as everybody (R5)", async () => {
    const errors: unknown[] = [];
    const tool = defineTool({
      name: "work",
      description: "Works.",
      inputSchema: z.object({}),
      run: async (_, call) => {
        const { threadId } = call;
        for (const input of [{ kind: "text", text: " " }, { kind: "halt" }, { kind: "result", content: "x" }])
          await call.sender.send({ threadId, dedupId: "1", input } as never).catch((error) => errors.push(error));
        await call.sender.send(call.event({ text: "x" })).catch((error) => errors.push(error));
        return "done";
      },
    });
    const system = await systemWith({ model: scriptedModel([calls("work"), "ok"]), tools: [tool] });
    expect(await (await system.open("t")).ask("go")).toBe("ok");
    expect(errors).toHaveLength(4);
    for (const error of errors) expect(error).toBeInstanceOf(InputRefusedError);
  });

  it("loses nothing that two senders accept while a thread is loaded (R1)", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const inner = memoryStore();
      const store: typeof inner = {
        ...inner,
        load: async (id) => {
          const loaded = await inner.load(id);
          for (let turn = 0; turn < 6; turn++) await undefined;
          return loaded;
        },
      };
      const first = await systemWith({ model: scriptedModel(), store });
      await first.open("t");
      await first.stop();
      const system = await systemWith({ model: scriptedModel(() => "ok"), store });
      const other = createSender(store);
      const text = (words: string) => ({ threadId: "t", dedupId: words, input: { kind: "text", text: words } });
      const sent = system.deliver(text("a"));
      for (let turn = 0; turn < turns; turn++) await undefined;
      await Promise.all([sent, other.send(text("b")), system.deliver(text("c"))]);
      const thread = await system.open("t");
      while ((await thread.history()).filter(({ entry }) => entry.kind === "user").length < 3) await later(0);
      await thread.atRest();
      await other.stop();
    }
  });

  it("rejects who waits for rest when it stops, and ends the streams of states", async () => {
    const model = scriptedModel();
    const system = await systemWith({ model });
    const thread = await system.open("t");
    await thread.send("go");
    const ended = lastValueFrom(thread.state$);
    const rest = expect(thread.atRest()).rejects.toThrow(SystemStoppedError);
    await system.stop();
    await rest;
    expect(await ended).toBe("running");
  });

  it("says which option cannot work", async () => {
    const model = scriptedModel();
    await expect(createSystem({ model, limits: { round: 1 } as never })).rejects.toThrow(
      /limits.round.*there are inbox/,
    );
    await expect(createSystem({ model, limits: { rounds: -1 } })).rejects.toThrow(OptionError);
    await expect(createSystem({} as never)).rejects.toThrow(/model/);
  });

  it("is not broken by an observer that throws, and lets it be", async () => {
    let heard = 0;
    const inspect = () => {
      heard += 1;
      throw new Error("no");
    };
    const system = await systemWith({ model: scriptedModel(["one", "two"]), inspect });
    const thread = await system.open("t");
    expect(await thread.ask("a")).toBe("one");
    expect(await thread.ask("b")).toBe("two");
    expect(heard).toBe(1);
  });

  it("says nothing more after it was stopped, and what was accepted waits for the next one (R1)", async () => {
    const store = memoryStore();
    const model = scriptedModel();
    const system = await systemWith({ model, store });
    const thread = await system.open("t");
    await thread.send("hi");
    await model.next();
    await system.stop();
    expect(model.requests[0]?.aborted).toBe(true);
    await expect(thread.send("more")).rejects.toThrow(SystemStoppedError);
    const next = await systemWith({ model: scriptedModel(["hello"]), store });
    const again = await next.open("t");
    await again.atRest();
    expect((await again.history()).map(({ entry }) => entry.kind)).toEqual(["user", "turn"]);
  });
});

describe("a thread", () => {
  it("tells who watches what happens, in order, and ends with the system", async () => {
    const system = await systemWith({ model: scriptedModel([calls("look", { at: "it" }), "done"]), tools: [look] });
    const thread = await system.open("t");
    const seen: Update[] = [];
    const reading = (async () => {
      for await (const update of thread.updates()) seen.push(update);
    })();
    await later(0);
    await thread.ask("go");
    await system.stop();
    await reading;
    const types = seen.map(({ type }) => type);
    expect(types.filter((type) => type === "round.started")).toHaveLength(2);
    for (const pair of [
      ["input.accepted", "round.started"],
      ["round.started", "call.made"],
      ["call.made", "round.ended"],
      ["call.settled", "slice.ended"],
    ] as const)
      expect(types.indexOf(pair[0])).toBeLessThan(types.lastIndexOf(pair[1]));
    const feed = seen.flatMap((update) => ("feed" in update ? [update.feed] : []));
    expect(feed).toEqual([...feed].sort((a, b) => a - b));
    expect(types.at(-1)).toBe("state.changed");
  });

  it("gives a slow reader a gap with the place to read on from", async () => {
    const model = scriptedModel([{ chunks: Array.from({ length: 50 }, (_, n) => ({ text: `${n} ` })), end: "final" }]);
    const system = await systemWith({ model, limits: { readerBuffer: 10 } });
    const thread = await system.open("t");
    const reader = thread.updates()[Symbol.asyncIterator]();
    const first = reader.next();
    await thread.ask("go");
    const { value } = await first;
    expect(value.type).toBe("input.accepted");
    expect((await reader.next()).value).toMatchObject({ type: "gap", after: value.feed });
    await reader.return?.();
  });

  it("is not held up by a reader that left", async () => {
    const system = await systemWith({ model: scriptedModel(["one", "two"]) });
    const thread = await system.open("t");
    const asked = thread.ask("a");
    for await (const _ of thread.updates()) break;
    await asked;
    expect(await thread.ask("b")).toBe("two");
  });

  it("says its state as it changes", async () => {
    const system = await systemWith({ model: scriptedModel([calls("sleep", { seconds: 1 })]), clock: virtualClock() });
    const thread = await system.open("t");
    const states: string[] = [];
    thread.state$.subscribe((state) => states.push(state));
    await thread.send("nap");
    expect(await thread.atRest()).toBe("idlePassive");
    expect(states).toEqual(["idle", "running", "idlePassive"]);
  });

  it("keeps apart questions of different senders under one id (R2)", async () => {
    const model = scriptedModel();
    const system = await systemWith({ model });
    const thread = await system.open("t");
    const bob = thread.send("from Bob", { id: "1", sender: "bob" });
    await bob;
    const open = await model.next();
    const ann = thread.ask("from Ann", { id: "1", sender: "ann", whileBusy: "wait" });
    open.answer("to Bob");
    (await model.next()).answer("to Ann");
    expect(await ann).toBe("to Ann");
  });

  it("rejects a question that another text cut short, and answers the other", async () => {
    const model = scriptedModel();
    const system = await systemWith({ model });
    const thread = await system.open("t");
    const first = thread.ask("first");
    const open = await model.next();
    open.stream([{ text: "par" }], "open");
    const second = thread.ask("second");
    const refused = expect(first).rejects.toThrow(AnswerInterruptedError);
    (await model.next()).answer("two");
    await refused;
    expect(await second).toBe("two");
  });

  it("rejects a question whose round failed, with the failure's code", async () => {
    const model = scriptedModel([{ error: "fatal" }, "fine"]);
    const system = await systemWith({ model });
    const thread = await system.open("t");
    await expect(thread.ask("first")).rejects.toMatchObject({ code: "THREAD_FAILED", failure: "MODEL_FAILED" });
    await expect(Promise.resolve(thread.view().lastFailure?.code)).resolves.toBe("MODEL_FAILED");
    expect(await thread.ask("second")).toBe("fine");
  });

  it("stops what is going on when it is interrupted, and rests", async () => {
    const model = scriptedModel();
    const system = await systemWith({ model });
    const thread = await system.open("t");
    const asked = thread.ask("go");
    const rejected = expect(asked).rejects.toThrow(AnswerInterruptedError);
    const shown = firstValueFrom(thread.updates$.pipe(filter(({ type }) => type === "text.delta")));
    (await model.next()).stream([{ text: "half" }], "open");
    await shown;
    await thread.interrupt();
    await rejected;
    expect(await thread.atRest()).toBe("idle");
    expect((await thread.history()).at(-1)?.entry).toMatchObject({ kind: "turn", parts: [{ text: "half" }] });
  });

  it("rejects a question whose tool was stopped before the model had read its result", async () => {
    const tool = defineTool({
      name: "work",
      description: "Works.",
      inputSchema: z.object({}),
      run: () => new Promise<never>(() => {}),
    });
    const model = scriptedModel([{ text: "let me see", calls: [{ id: "c1", name: "work", args: {} }] }]);
    const system = await systemWith({ model, tools: [tool] });
    const thread = await system.open("t");
    const rejected = expect(thread.ask("go")).rejects.toThrow(AnswerInterruptedError);
    while (thread.state !== "awaitingActiveCall") await later(0);
    await thread.interrupt();
    await rejected;
    expect(model.requestCount).toBe(1);
  });

  it("asks nothing more when a stop comes right behind a result", async () => {
    const { tool, addresses } = byHand();
    const model = scriptedModel([calls("build")]);
    const system = await systemWith({ model, tools: [tool] });
    const thread = await system.open("t");
    await thread.send("go");
    await thread.atRest();
    const stop = { threadId: "t", dedupId: "s", input: { kind: "interrupt" } };
    await system.deliver([resultFor(addresses[0] ?? "", "built"), stop]);
    expect(await thread.atRest()).toBe("idle");
    expect(model.requestCount).toBe(1);
    expect((await thread.history()).at(-1)?.entry).toMatchObject({ kind: "result", origin: "tool" });
  });

  it("settles a call whose tool throws what cannot be read (R9)", async () => {
    const unreadable = () => {
      throw Object.defineProperty(new Error("x"), "stack", {
        get() {
          throw new Error("no stack");
        },
      });
    };
    const base = { description: "Fails.", inputSchema: z.object({}) };
    const tools = [
      defineTool({ ...base, name: "a", run: unreadable }),
      defineTool({ ...base, name: "b", inline: unreadable }),
      defineTool({ ...base, name: "c", dispatch: unreadable }),
    ];
    const three = ["a", "b", "c"].map((name) => ({ id: name, name, args: {} }));
    const system = await systemWith({ model: scriptedModel([{ calls: three }, "sorry"]), tools });
    expect(await (await system.open("t")).ask("go")).toBe("sorry");
  });

  it("tells who watches that an input is held back", async () => {
    const { tool } = byHand();
    const system = await systemWith({ model: scriptedModel([calls("build")]), tools: [tool] });
    const thread = await system.open("t");
    const deferred: string[] = [];
    thread.updates$.subscribe((update) => update.type === "input.deferred" && deferred.push(update.dedupId));
    await thread.send("go");
    await thread.atRest();
    await thread.send("later", { id: "p1", whileBusy: "wait" });
    await thread.atRest();
    expect(deferred).toEqual(["p1"]);
  });

  it("aborts an inline tool at once when the user writes", async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const tool = defineTool({
      name: "work",
      description: "Works.",
      inputSchema: z.object({}),
      inline: (_, call) =>
        new Promise((_resolve, reject) => {
          begun.resolve(call.signal);
          call.signal.addEventListener("abort", () => reject(call.signal.reason));
        }),
    });
    const system = await systemWith({
      model: scriptedModel([calls("work"), "ok"]),
      tools: [tool],
      clock: virtualClock(),
    });
    const thread = await system.open("t");
    await thread.send("go");
    const signal = await begun.promise;
    expect(await thread.ask("stop")).toBe("ok");
    expect(signal.aborted).toBe(true);
  });

  it("lets a reader leave that waits for the next update", async () => {
    const system = await systemWith({ model: scriptedModel() });
    const reader = (await system.open("t")).updates()[Symbol.asyncIterator]();
    const next = reader.next();
    await reader.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it("takes results from a sender without a system, at once in the same process", async () => {
    const { tool, addresses } = byHand();
    const store = memoryStore();
    const system = await systemWith({ model: scriptedModel([calls("build"), "green"]), tools: [tool], store });
    const thread = await system.open("t");
    const answer = thread.ask("go");
    while (thread.state !== "awaitingActiveCall") await later(0);
    const sender = createSender(store);
    expect(await sender.send(resultFor(addresses[0] ?? "", "built"))).toBe(true);
    expect(await sender.send(resultFor(addresses[0] ?? "", "built"))).toBe(false);
    expect(await answer).toBe("green");
    await sender.stop();
  });

  it("sleeps on a turned clock, also beyond what one timer holds", async () => {
    const clock = virtualClock();
    const days = 40 * 24 * 3_600;
    const model = scriptedModel([calls("sleep", { seconds: days }), "awake"]);
    const system = await systemWith({ model, clock });
    const thread = await system.open("t");
    await thread.send("nap");
    await thread.atRest();
    await clock.advance((days - 1) * 1_000);
    expect(thread.state).toBe("idlePassive");
    await clock.advance(1_000);
    expect(thread.state).toBe("idle");
    expect(model.requestCount).toBe(2);
  });

  it("never has two rounds open at once, whatever is sent meanwhile (R8)", async () => {
    let open = 0;
    let most = 0;
    const model = scriptedModel(async () => {
      open += 1;
      most = Math.max(most, open);
      await later(0);
      open -= 1;
      return "ok";
    });
    const system = await systemWith({ model });
    const thread = await system.open("t");
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => thread.send(`m${n}`, { whileBusy: n % 2 ? "wait" : "interrupt" })),
    );
    await thread.atRest();
    expect(most).toBe(1);
    const texts = (await thread.history()).flatMap(({ entry }) => (entry.kind === "user" ? [entry.text] : []));
    expect(texts.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `m${n}`).toSorted());
  });
});
