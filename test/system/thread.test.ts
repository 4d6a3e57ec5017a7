import { setTimeout as later } from "node:timers/promises";
import { filter, firstValueFrom } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  AnswerInterruptedError,
  createSender,
  defineTool,
  memoryStore,
  resultFor,
  type Update,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { byHand, calls, look, systemWith } from "../support/system/started.ts";
import { virtualClock } from "../support/virtual-clock.ts";

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

  it("ends a subscription whose last event has an id that came before, and loses none to counted ids (R9)", async () => {
    const tool = defineTool({
      name: "watch",
      description: "Watches.",
      inputSchema: z.object({}),
      subscribe: () => ({
        started: "watching",
        events: (async function* () {
          yield { text: "one", id: "1.2", associative: true };
          yield { text: "two", associative: true };
          yield { text: "last", id: "1.2", associative: true, final: true };
        })(),
      }),
    });
    let asked = 0;
    const model = scriptedModel(() => (asked++ === 0 ? calls("watch") : "ok"));
    const system = await systemWith({ model, tools: [tool] });
    const thread = await system.open("t");
    await thread.send("go");
    while (thread.state !== "idle") await later(0);
    const events = (await thread.history()).flatMap(({ entry }) => (entry.kind === "event" ? [entry.text] : []));
    expect(events.slice(0, 2)).toEqual(["one", "two"]);
    expect(events[2]).toMatch(/has ended: its last event.*came before/);
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
