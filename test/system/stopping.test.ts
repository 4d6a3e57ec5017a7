import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createSystem, defineTool, memoryStore, type Store, silentLogger, type Tool } from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../support/virtual-clock.ts";

const start = async (store: Store, script: Script, { clock = virtualClock(), tools = [] as Tool[] } = {}) => {
  const model = scriptedModel(script, { strict: true });
  const system = await createSystem({ model, store, clock, tools, logger: silentLogger });
  return { system, model, clock, thread: await system.open("t") };
};

const kinds = async ({ thread }: Awaited<ReturnType<typeof start>>) =>
  (await thread.history()).map(({ entry }) => (entry.kind === "turn" ? JSON.stringify(entry.parts) : entry.kind));

describe("a system that stops", () => {
  it("closes the request, keeps the visible text, and the thread rests with it on the next start", async () => {
    const store = memoryStore();
    const first = await start(store, [{ chunks: [{ text: "Hel" }], end: "open" }]);
    await first.thread.send("hello?");
    await settle();
    await first.system.stop();
    expect(first.model.requests[0]?.aborted).toBe(true);
    const next = await start(store, []);
    expect(await next.thread.atRest()).toBe("idle");
    expect(await kinds(next)).toEqual(["user", '[{"type":"text","text":"Hel"}]']);
    await next.system.stop();
  });

  it("asks again on the next start what the model had not begun to answer", async () => {
    const store = memoryStore();
    const first = await start(store, [{ chunks: [], end: "open" }]);
    await first.thread.send("hello?");
    await settle();
    await first.system.stop();
    const next = await start(store, ["Hello!"]);
    expect(await next.thread.atRest()).toBe("idle");
    expect(await kinds(next)).toEqual(["user", '[{"type":"text","text":"Hello!"}]']);
    await next.system.stop();
  });

  it("aborts the signals of tools once nothing is under way any more", async () => {
    const reasons: unknown[] = [];
    const tool = defineTool({
      name: "work",
      description: "Works.",
      inputSchema: z.object({}),
      run: (_, { signal }) =>
        new Promise<never>((_, reject) =>
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason);
            reject(signal.reason);
          }),
        ),
    });
    const { system, thread } = await start(memoryStore(), [{ calls: [{ id: "c", name: "work", args: {} }] }], {
      tools: [tool],
    });
    await thread.send("go");
    expect(await thread.atRest()).toBe("awaitingActiveCall");
    await system.stop();
    expect(reasons).toHaveLength(1);
  });

  it("is not held up for ever by a store that does not answer", async () => {
    const store = memoryStore();
    const clock = virtualClock();
    const stuck: Store = { ...store, commit: () => new Promise<never>(() => {}) };
    const { system, thread } = await start(stuck, ["one"], { clock });
    await thread.send("go");
    await settle();
    const stopped = system.stop();
    await clock.advance(5_000);
    await stopped;
    const next = await start(store, ["again"]);
    await next.thread.atRest();
    expect(await kinds(next)).toEqual(["user", '[{"type":"text","text":"again"}]']);
    await next.system.stop();
  });
});

const busy = { error: "transient" as const, status: 429, retryAfter: 7_200 };

describe("a provider that wants to be left alone for hours", () => {
  it("is asked again when the time has come, and not before", async () => {
    const { system, model, clock, thread } = await start(memoryStore(), [busy, "there"]);
    await thread.send("go");
    await settle();
    expect(thread.view()).toMatchObject({
      state: "idle",
      retry: { due: 7_200_000, attempt: 2 },
      lastFailure: { code: "MODEL_UNAVAILABLE" },
    });
    await clock.advance(7_199_999);
    expect(model.requests).toHaveLength(1);
    await clock.advance(1);
    expect(model.requests).toHaveLength(2);
    expect(thread.view()).toMatchObject({ state: "idle", retry: null, lastFailure: null });
    await system.stop();
  });

  it("is asked again by the next system when the first one ended meanwhile (R9)", async () => {
    const store = memoryStore();
    const first = await start(store, [busy]);
    await first.thread.send("go");
    await settle();
    await first.system.stop();
    const next = await start(store, ["there"], { clock: virtualClock(8_000_000) });
    await settle();
    expect(await next.thread.atRest()).toBe("idle");
    expect(await kinds(next)).toEqual(["user", '[{"type":"text","text":"there"}]']);
    await next.system.stop();
  });

  it("is given up after the tries that a request has, over slices and waits", async () => {
    const { system, model, clock, thread } = await start(memoryStore(), [...Array(11).fill(busy), "never asked"]);
    await thread.send("go");
    await clock.advance(24 * 3_600_000);
    expect(model.requests).toHaveLength(11);
    expect(thread.view()).toMatchObject({ retry: null, lastFailure: { code: "MODEL_UNAVAILABLE" } });
    expect(thread.view().lastFailure?.message).toContain("try 11 of 11");
    await system.stop();
  });
});
