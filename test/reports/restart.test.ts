import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { faultsOf } from "../../machines/history/faults.ts";
import { type CrashPoint, crashPoints, onPoint } from "../../src/crash-points.ts";
import { defineTool, type Tool } from "../../src/index.ts";
import { silentLogger } from "../../src/logger.ts";
import type { ScriptedReply } from "../../src/model/scripted/scripted-model.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { createSender } from "../../src/queue/sender.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { createSystem } from "../../src/system/create.ts";
import { createActivity, incarnate } from "../../src/testing/scenarios/incarnation.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import { type Bench, benchWith, expectWellFormed, resultsOf, shown } from "./bench.ts";

const hooks: (() => void)[] = [];
afterEach(() => {
  for (const unhook of hooks.splice(0)) unhook();
});

const noArgs = z.object({});

/** What the world outside has seen of a tool, over all lives of the process. */
const counted = (name: string, more: { readonly idempotent?: boolean; readonly inline?: boolean } = {}) => {
  const seen = { times: 0 };
  const work = async () => {
    seen.times++;
    await settle(1);
    return `${name} is done`;
  };
  const tool: Tool = defineTool({
    name,
    description: `Does ${name}.`,
    inputSchema: noArgs,
    ...(more.idempotent && { annotations: { idempotent: true } }),
    ...(more.inline ? { inline: work } : { run: work }),
  });
  return { tool, seen };
};

/** Calls every tool once, then says that it is done. */
const callsAll =
  (tools: readonly Tool[]): ScriptedReply =>
  ({ prompt }) =>
    prompt.some(({ role }) => role === "tool") ? "all done" : { calls: tools.map(({ name }) => ({ name })) };

/**
 * A life that ends at the n-th visit of `where`, in the middle of the work on one text; undefined when it never gets there.
 * Its process does nothing more: no operation of its store answers, no timer of its fires.
 */
const lifeUntil = async (where: CrashPoint, visit: number, tools: readonly Tool[]) => {
  const store = memoryStore();
  const clock = virtualClock(1_000);
  const life = incarnate(store, clock, createActivity());
  life.open();
  let visits = 0;
  let crashed = false;
  const unhook = onPoint((name) => {
    if (crashed || name !== where || ++visits < visit) return;
    crashed = true;
    life.crash();
  });
  hooks.push(unhook);
  const begun = createSystem({
    model: scriptedModel(callsAll(tools), { strict: true }),
    store: life.store,
    clock: life.clock,
    logger: silentLogger,
    tools,
  });
  let told = false;
  void begun
    .then((system) => system.open("t"))
    .then((thread) => thread.send("go", { id: "1" }))
    .then(() => {
      told = true;
    });
  await settle(40);
  unhook();
  return crashed ? { store, clock, told: () => told } : undefined;
};

const nextLife = async (before: { store: Bench["store"]; clock: Bench["clock"] }, tools: readonly Tool[]) => {
  const bench = await benchWith(callsAll(tools), { ...before, tools });
  // Long enough for a lease of the life before to run out.
  await bench.clock.advance(600_000);
  return bench;
};

const everyCrash = crashPoints.flatMap((where) => [1, 2, 3, 4].map((visit) => ({ where, visit })));

describe("a process that dies", () => {
  it("reports 011, 036, 041: at any point repeats no work that may not be repeated, and no thread is stuck (R1, R2, R9)", async () => {
    const reached = new Set<CrashPoint>();
    for (const { where, visit } of everyCrash) {
      const charge = counted("charge");
      const look = counted("look", { idempotent: true });
      const tools = [charge.tool, look.tool];
      const before = await lifeUntil(where, visit, tools);
      if (!before) continue;
      reached.add(where);
      const label = `crash at visit ${visit} of ${where}`;
      const wasTold = before.told();
      const bench = await nextLife(before, tools);
      const isNew = await bench.thread.send("go", { id: "1" });
      if (wasTold) expect(isNew, label).toBe(false);
      await bench.clock.advance(600_000);
      expect(await bench.thread.atRest(), label).toBe("idle");
      expect(charge.seen.times, label).toBeLessThanOrEqual(1);
      const lines = shown(await bench.thread.history());
      expect(
        lines.filter((line) => line === "user go"),
        label,
      ).toHaveLength(1);
      expect(lines.at(-1), label).toBe("turn");
      expect(resultsOf(await bench.thread.history()), label).toHaveLength(2);
      expect(lines, label).toContain("result look is done");
      await expectWellFormed(bench);
      await bench.system.stop();
    }
    expect([...crashPoints].filter((name) => !reached.has(name))).toEqual(["acknowledged"]);
  });

  it("report 059, R7: no tool runs whose call is not durable, and a result that is there is not asked for again", async () => {
    for (const { where, visit } of everyCrash) {
      const weather = counted("weather");
      const before = await lifeUntil(where, visit, [weather.tool]);
      if (!before) continue;
      const { calls = [], inbox = [] } = (await before.store.load("t" as never)) ?? {};
      const answered = inbox.some(({ input }) => input.kind === "result");
      const ran = weather.seen.times;
      if (ran > 0) expect(calls.length + resultsOf(await before.store.history("t" as never)).length).toBe(1);
      const bench = await nextLife(before, [weather.tool]);
      if (answered) expect(weather.seen.times, `${where} ${visit}`).toBe(ran);
      await expectWellFormed(bench);
      await bench.system.stop();
    }
  });

  it("report 020, R5: never leaves a result without its call, whatever is in the store then", async () => {
    const tools = ["a", "b", "c"].map((name) => counted(name, { idempotent: true }).tool);
    for (const { where, visit } of everyCrash) {
      const before = await lifeUntil(where, visit, tools);
      if (!before) continue;
      const history = await before.store.history("t" as never);
      const outstanding = (await before.store.load("t" as never))?.calls ?? [];
      const ids = outstanding.map(({ callId }) => callId);
      expect(faultsOf(history, ids), `${where} ${visit}`).toEqual([]);
    }
  });
});

describe("a thread that is loaded again", () => {
  it("report 020: has all results of its turn, and goes on from there", async () => {
    const { tool } = counted("look");
    const first = await benchWith([{ calls: [1, 2, 3].map(() => ({ name: "look" })) }, "done"], { tools: [tool] });
    await first.thread.ask("go");
    const before = await first.thread.history();
    await first.system.stop();
    const next = await benchWith(["again"], { tools: [tool], store: first.store, clock: first.clock });
    expect(await next.thread.history()).toEqual(before);
    expect(await next.thread.ask("more")).toBe("again");
    expect(resultsOf(await next.thread.history())).toHaveLength(3);
    await expectWellFormed(next);
  });

  it("report 067: sleeps on to the same instant, and wakes once; what is overdue wakes at once", async () => {
    for (const restartAt of [6_000, 30_000]) {
      const first = await benchWith([{ calls: [{ name: "sleep", args: { seconds: 10 } }] }]);
      await first.thread.send("nap");
      await first.thread.atRest();
      await first.clock.advance(4_000);
      await first.system.stop();
      await first.clock.advance(restartAt - 4_000);
      const next = await benchWith(["awake"], { store: first.store, clock: first.clock });
      await next.clock.advance(0);
      expect(next.model.requestCount).toBe(restartAt < 10_000 ? 0 : 1);
      await next.clock.advance(60_000);
      expect(next.model.requestCount).toBe(1);
      expect(resultsOf(await next.thread.history()).map(({ origin }) => origin)).toEqual(["timer"]);
      await expectWellFormed(next);
    }
  });

  it("report 034, R2: knows an event that was handled before, and takes one that never arrived", async () => {
    const first = await benchWith(["one"]);
    await first.thread.ask("go", { id: "E1" });
    await first.system.stop();
    const next = await benchWith(["two"], { store: first.store, clock: first.clock });
    expect(await next.thread.send("go", { id: "E1" })).toBe(false);
    expect(await next.thread.send("go", { id: "E2" })).toBe(true);
    await next.thread.atRest();
    expect(next.model.requestCount).toBe(1);
  });

  it("report 044: sends a provider's own words back byte for byte, and no call id comes twice", async () => {
    const { tool } = counted("look");
    const providerMetadata = { some: { signature: "åß😀=\u0001", nested: { list: [1, null, "x"] } } };
    const turn = {
      chunks: [
        {
          part: {
            type: "tool-call",
            toolCallId: "same",
            toolName: "look",
            input: "{}",
            providerMetadata,
          } as never,
        },
      ],
    };
    const first = await benchWith([turn, "one"], { tools: [tool] });
    await first.thread.ask("go");
    await first.system.stop();
    const next = await benchWith([turn, "two"], { tools: [tool], store: first.store, clock: first.clock });
    await next.thread.ask("again");
    const sent = (next.model.requests[1]?.prompt ?? []).flatMap((message) =>
      message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [],
    );
    expect(sent.map(({ providerOptions }) => JSON.stringify(providerOptions))).toEqual(
      [1, 2].map(() => JSON.stringify(providerMetadata)),
    );
    expect(new Set(sent.map(({ toolCallId }) => toolCallId)).size).toBe(2);
  });

  it("R1: runs the text that was accepted for it while nothing ran", async () => {
    const store = memoryStore();
    const first = await benchWith(undefined, { store });
    await first.system.stop();
    const sender = createSender(store, { clock: first.clock, logger: silentLogger });
    await sender.send({ threadId: "t", dedupId: "1", input: { kind: "text", text: "anybody?" } });
    await sender.stop();
    const next = await benchWith(["here"], { store, clock: first.clock });
    await next.thread.atRest();
    expect(shown(await next.thread.history())).toEqual(["user anybody?", "turn"]);
  });
});
