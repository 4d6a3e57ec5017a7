import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/index.ts";
import { silentLogger } from "../../src/logger.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { createSystem } from "../../src/system/create.ts";
import { createHub } from "../../src/system/hub.ts";
import { virtualClock } from "../../src/testing/virtual-clock.ts";
import { benchWith, expectWellFormed, settle, shown } from "./bench.ts";

const listeners = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)] as const);

describe("many threads", () => {
  it("each get their own answer, and none sees another's text", { timeout: 120_000 }, async () => {
    const bench = await benchWith(({ prompt }) => {
      const last = prompt.at(-1);
      const [part] = last?.role === "user" ? last.content : [];
      expect(prompt).toHaveLength(1);
      return part?.type === "text" ? `echo ${part.text}` : "nothing";
    });
    const threads = await Promise.all(Array.from({ length: 2_000 }, (_, n) => bench.system.open(`n${n}`)));
    const answers = await Promise.all(threads.map((thread, n) => thread.ask(`hi ${n}`)));
    expect(answers).toEqual(threads.map((_, n) => `echo hi ${n}`));
    expect(bench.clock.due.filter((at) => at < bench.clock.now() + 50_000)).toEqual([]);
  });

  it("have an answer one after the other through one open request, and nobody is forgotten", async () => {
    const bench = await benchWith(() => "ok", { limits: { openRequests: 1 } });
    const threads = await Promise.all(Array.from({ length: 100 }, (_, n) => bench.system.open(`n${n}`)));
    const answers = await Promise.all(threads.map((thread) => thread.ask("hi")));
    expect(new Set(answers)).toEqual(new Set(["ok"]));
  });

  it("opened at once under one id are one thread", async () => {
    const bench = await benchWith(() => "ok");
    const threads = await Promise.all(Array.from({ length: 100 }, () => bench.system.open("same")));
    await Promise.all(threads.map((thread, n) => thread.send(`m${n}`, { id: "1" })));
    await threads[0]?.atRest();
    expect(bench.model.requestCount).toBe(1);
  });

  it("may have names that mean something to JavaScript", async () => {
    const bench = await benchWith(() => "ok");
    for (const id of [
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "0",
      "-1",
      "/",
      "..",
      "a".repeat(200),
    ]) {
      const thread = await bench.system.open(id, { metadata: { of: id } });
      expect(await thread.ask("hi"), id).toBe("ok");
      expect(shown(await thread.history()), id).toEqual(["user hi", "turn"]);
    }
  });
});

describe("what comes and goes", () => {
  it("report 089: leaves no listener on the process after 50 systems", async () => {
    const before = listeners();
    for (let n = 0; n < 50; n++) {
      const system = await createSystem({
        model: scriptedModel(["ok"], { strict: true }),
        store: memoryStore(),
        clock: virtualClock(),
        logger: silentLogger,
      });
      await (await system.open("t")).ask("hi");
      await system.stop();
    }
    expect(listeners()).toEqual(before);
  });

  it("report 089: leaves no timer behind after it stopped, whatever was going on", async () => {
    const clock = virtualClock();
    const hang = defineTool({
      name: "hang",
      description: "Hangs.",
      inputSchema: z.object({}),
      deadline: 60_000,
      run: () => new Promise(() => {}),
    });
    const turns = [
      undefined,
      { calls: [{ name: "hang" }, { name: "sleep", args: { seconds: 5 } }] },
      { error: "transient" as const, retryAfter: 20 },
      { chunks: [{ text: "half" }], end: "open" as const },
    ];
    for (const turn of turns) {
      const bench = await benchWith(() => turn, { clock, tools: [hang] });
      await bench.thread.send("go");
      await settle();
      await bench.system.stop();
      await settle();
      expect(clock.due).toEqual([]);
    }
  });

  it("report 088: leaves nothing in the hub for threads that nobody watches any more", async () => {
    const hub = createHub();
    const watching = Array.from({ length: 1_000 }, (_, n) => hub.of(`n${n}`).subscribe());
    expect(hub.watched("n7")).toBe(true);
    for (const one of watching) one.unsubscribe();
    expect(Array.from({ length: 1_000 }, (_, n) => hub.watched(`n${n}`)).some(Boolean)).toBe(false);
  });

  it("report 089: leaves no listener on the model's signals after a hundred rounds", async () => {
    const signals: AbortSignal[] = [];
    const bench = await benchWith(({ options }) => {
      if (options.abortSignal) signals.push(options.abortSignal);
      return "ok";
    });
    for (let n = 0; n < 100; n++) await bench.thread.ask(`m${n}`);
    await settle();
    expect(signals).toHaveLength(100);
    expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([]);
    await expectWellFormed(bench);
  });
});
