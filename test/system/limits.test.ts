import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type Limits, type SystemOptions } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import { systemWith } from "../support/system/started.ts";

const calls = (...names: string[]) => ({
  calls: names.map((name, index) => ({ id: `${name}${index}`, name, args: {} })),
});

/** A thread of a system with these limits, on a clock that stands still until it is turned. */
const bounded = async (limits: Partial<Limits>, options: Pick<SystemOptions, "model"> & Partial<SystemOptions>) => {
  const clock = virtualClock(1_000_000);
  const system = await systemWith({ ...options, clock, limits, random: () => 0 });
  return { clock, system, thread: await system.open("t") };
};

const tool = (name: string, more: object) =>
  defineTool({ name, description: "Does.", inputSchema: z.object({}), ...more } as never);

describe("an option of the limits reaches what it bounds:", () => {
  it("rounds", async () => {
    const model = scriptedModel(() => calls("count"), { keep: 0 });
    const count = tool("count", { inline: () => Math.random() });
    const { thread } = await bounded({ rounds: 3, equalCalls: 100 }, { model, tools: [count] });
    await thread.send("go");
    await thread.atRest();
    expect(thread.view().lastFailure).toMatchObject({
      code: "ROUND_LIMIT",
      message: expect.stringContaining("3 rounds"),
    });
    expect((await thread.history()).filter(({ entry }) => entry.kind === "turn")).toHaveLength(3);
  });

  it("equalCalls", async () => {
    let made = 0;
    const count = tool("count", { inline: () => ++made });
    const { thread } = await bounded({ equalCalls: 2 }, { model: scriptedModel(() => calls("count")), tools: [count] });
    await thread.send("go");
    await thread.atRest();
    expect(thread.view().lastFailure?.code).toBe("REPEATED_CALL");
    expect(made).toBe(2);
  });

  it("tries", async () => {
    const model = scriptedModel(() => ({ error: "transient" }));
    const { clock, thread } = await bounded({ tries: 2 }, { model });
    await thread.send("go");
    await clock.advance(10_000);
    expect(thread.view().lastFailure?.message).toContain("try 2 of 2");
  });

  it("silence", async () => {
    const model = scriptedModel(() => ({ chunks: [{ text: "a" }], end: "open" }));
    const { clock, thread } = await bounded({ silence: 2_000, tries: 1 }, { model });
    await thread.send("go");
    await clock.advance(1_900);
    expect(thread.state).toBe("running");
    await clock.advance(200);
    expect(thread.view().lastFailure?.message).toContain("silent for 2 s");
  });

  it("slowRetry", async () => {
    const model = scriptedModel(() => ({ error: "transient", retryAfter: 5 }));
    const { clock, thread } = await bounded({ slowRetry: 4_000 }, { model });
    await thread.send("go");
    await settle(20);
    expect(thread.view()).toMatchObject({ state: "idle", retry: { due: clock.now() + 5_000 } });
  });

  it("inlineTool", async () => {
    const model = scriptedModel([calls("slow"), "it was too slow"]);
    const slow = tool("slow", { inline: () => new Promise(() => {}) });
    const { clock, thread } = await bounded({ inlineTool: 1_500 }, { model, tools: [slow] });
    const answer = thread.ask("go");
    await clock.advance(1_600);
    expect(await answer).toBe("it was too slow");
  });

  it("subscriptions", async () => {
    const hold = tool("hold", { subscribe: () => ({ started: "on", events: new ReadableStream() }) });
    const model = scriptedModel([calls("hold", "hold"), "done"]);
    const { thread } = await bounded({ subscriptions: 1 }, { model, tools: [hold] });
    await thread.ask("go");
    expect(thread.view().subscriptions).toHaveLength(1);
    const results = (await thread.history()).flatMap(({ entry }) => (entry.kind === "result" ? [entry] : []));
    expect(results.map(({ error = false }) => error)).toEqual([false, true]);
  });

  it("configuration", async () => {
    const told: string[] = [];
    const { clock, thread } = await bounded(
      { configuration: 700 },
      { model: scriptedModel(() => "ok"), threadConfig: () => new Promise<undefined>(() => {}) },
    );
    thread.updates$.subscribe((update) => update.type === "configuration.failed" && told.push(update.message));
    await thread.send("go");
    await clock.advance(800);
    expect(told).toEqual(["Error: threadConfig has not answered for 0.7 s"]);
  });

  it("openRequests", async () => {
    let open = 0;
    let most = 0;
    const model = scriptedModel(
      async () => {
        most = Math.max(most, ++open);
        await settle(2);
        open--;
        return "ok";
      },
      { keep: 0 },
    );
    const { system } = await bounded({ openRequests: 2 }, { model });
    const threads = await Promise.all(Array.from({ length: 8 }, (_, index) => system.open(`many/${index}`)));
    expect(await Promise.all(threads.map((thread) => thread.ask("go")))).toEqual(threads.map(() => "ok"));
    expect(most).toBeLessThanOrEqual(2);
  });
});
