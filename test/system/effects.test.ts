import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSystem,
  defineTool,
  type System,
  type SystemOptions,
  silentLogger,
  type Tool,
  type Update,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

const inputSchema = z.object({});
const modelThatCalls = (tool: string) =>
  scriptedModel((request) => (request.ordinal === 1 ? { calls: [{ name: tool }] } : "done"), { strict: true });

/** A thread that was just written to. */
const threadWith = async (options: Pick<SystemOptions, "model" | "tools">) => {
  const clock = virtualClock();
  const system = await createSystem({ ...options, clock, logger: silentLogger, random: () => 0.5 });
  systems.push(system);
  const thread = await system.open("t");
  const updates: Update[] = [];
  thread.updates$.subscribe((update) => updates.push(update));
  await thread.send("go", { id: "go" });
  await settle();
  return { thread, updates, clock };
};

/** One whose model has just called the tool. */
const threadThatCalls = (tool: Tool) => threadWith({ model: modelThatCalls(tool.name), tools: [tool] });

const build = defineTool({ name: "build", description: "Builds.", inputSchema, dispatch: () => {} });

/** An inline tool that ends when it is told to stop, or never. */
const inlineUntilStopped = (obeys: boolean) => {
  const signals: AbortSignal[] = [];
  const tool = defineTool({
    name: "look",
    description: "Looks.",
    inputSchema,
    inline: (_, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => obeys && resolve("seen so far")));
    },
  });
  return { tool, signals };
};

const resultsOf = (updates: readonly Update[]) =>
  updates.flatMap((update) => (update.type === "call.settled" ? [[update.origin, update.content[0]]] : []));

describe("a thread that runs", () => {
  it("tells who watches which inputs are held back, each once (R4)", async () => {
    const { thread, updates } = await threadThatCalls(build);
    await thread.send("later", { id: "one", whileBusy: "wait" });
    await thread.send("and later", { id: "two", whileBusy: "wait" });
    await settle();
    expect(thread.state).toBe("awaitingActiveCall");
    const held = updates.flatMap((update) => (update.type === "input.deferred" ? [[update.dedupId, update.kind]] : []));
    expect(held).toEqual([
      ["one", "text"],
      ["two", "text"],
    ]);
  });

  it("tells who watches that a try failed, and when the next one comes", async () => {
    const model = scriptedModel([{ error: "transient", message: "busy", retryAfter: 2 }, "done"], { strict: true });
    const { thread, updates, clock } = await threadWith({ model });
    const told = updates.filter(({ type }) => type === "round.retried");
    expect(told).toMatchObject([{ attempt: 2, wait: 2_000 }]);
    expect(told[0]).toHaveProperty("message", expect.stringContaining("busy"));
    await clock.advance(2_000);
    expect(await thread.atRest()).toBe("idle");
    expect(model.requestCount).toBe(2);
  });

  it("tells a tool that runs inline to stop when the user writes, and keeps what it hands back (R6)", async () => {
    const { tool, signals } = inlineUntilStopped(true);
    const { thread, updates } = await threadThatCalls(tool);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await thread.send("stop", { id: "stop" });
    await settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(resultsOf(updates)).toEqual([["sync", { type: "text", text: "seen so far" }]]);
    expect(await thread.atRest()).toBe("idle");
  });

  it("waits a second, and no longer, for an inline tool that does not stop (R6, R9)", async () => {
    const { tool } = inlineUntilStopped(false);
    const { thread, updates, clock } = await threadThatCalls(tool);
    await thread.send("stop", { id: "stop" });
    await clock.advance(999);
    expect(resultsOf(updates)).toEqual([]);
    await clock.advance(1);
    expect(resultsOf(updates)).toMatchObject([["interrupted", { type: "text" }]]);
    expect((await thread.history()).at(-2)?.entry).toMatchObject({ kind: "user", text: "stop" });
  });
});
