import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ThreadId } from "../../machines/history/ids.ts";
import {
  createSystem,
  defineTool,
  memoryStore,
  type Store,
  StoreCorruptError,
  type System,
  type SystemOptions,
  silentLogger,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { deliver, spec } from "../../src/testing/store/material.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

const createWith = async (store: Store, model: SystemOptions["model"], more: Partial<SystemOptions> = {}) => {
  const clock = virtualClock(1_000_000);
  return { clock, system: await createSystem({ model, store, clock, logger: silentLogger, ...more }) };
};

/** A process that dies: nothing of it is durable from then on, and nobody stops its system. */
const mortal = (store: Store): { readonly store: Store; readonly die: () => void } => {
  let dead = false;
  const never = new Promise<never>(() => {});
  const guarded = Object.fromEntries(
    Object.entries(store).map(([name, operation]) => [
      name,
      (...given: unknown[]) => (dead ? never : (operation as (...all: unknown[]) => unknown)(...given)),
    ]),
  );
  return {
    store: guarded as unknown as Store,
    die() {
      dead = true;
    },
  };
};

const left = async (count: number): Promise<Store> => {
  const store = memoryStore();
  for (let index = 0; index < count; index++) {
    const id = `t${String(index).padStart(3, "0")}` as ThreadId;
    await store.create(id, spec, 1);
    await store.accept([deliver(id, "a")], { inboxLimit: 10 });
  }
  return store;
};

/** Lives on a store, each of which ends when a tool of one thread is called or its model is asked. */
const live = async (
  shared: Store,
  kills: (threadId: string) => boolean,
): Promise<{ readonly asked: string[]; readonly died: boolean }> => {
  const { store, die } = mortal(shared);
  const asked: string[] = [];
  let died = false;
  const { system } = await createSystemWithHooks(store, (threadId) => {
    if (died) return;
    asked.push(threadId);
    if (!kills(threadId)) return;
    died = true;
    die();
  });
  await settle(200);
  if (!died) await system.stop();
  return { asked, died };
};

const createSystemWithHooks = async (
  store: Store,
  onRequest: (threadId: string) => void,
): Promise<{ system: System }> => ({
  system: await createSystem(
    { model: scriptedModel(() => "ok", { keep: 0 }), store, clock: virtualClock(1_000_000), logger: silentLogger },
    { onRequest },
  ),
});

describe("a thread that kills its process", () => {
  it("is set aside after a few deaths, while all others are served", async () => {
    const store = await left(60);
    const kills = (threadId: string) => threadId === "t030";
    const lives = [];
    for (let life = 0; life < 12; life++) {
      const ended = await live(store, kills);
      lives.push(ended);
      if (!ended.died) break;
    }
    expect(lives.length).toBeLessThanOrEqual(6);
    expect(lives.at(-1)?.died).toBe(false);
    const asideNow = (await store.threads()).filter(({ quarantined }) => quarantined);
    expect(asideNow.map(({ threadId }) => threadId)).toEqual(["t030"]);
    const waiting = (await store.threads({ withWork: true })).map(({ threadId }) => threadId);
    expect(waiting).toEqual(["t030"]);
  });

  it("takes no other with it: those that were at work with it are served, and it dies alone", async () => {
    const store = await left(60);
    const kills = (threadId: string) => threadId === "t000";
    let last = await live(store, kills);
    for (let life = 1; life < 3; life++) last = await live(store, kills);
    expect(last.died).toBe(true);
    expect(last.asked.filter((threadId) => threadId !== "t000")).toHaveLength(new Set(last.asked).size - 1);
    await live(store, kills);
    expect((await store.threads({ withWork: true })).map(({ threadId }) => threadId)).toEqual(["t000"]);
    expect((await store.threads()).filter(({ quarantined }) => quarantined)).toHaveLength(1);
  });

  it("goes on when a person writes to it, and is told of by feed and view", async () => {
    const store = await left(1);
    for (let life = 0; life < 5; life++) await live(store, () => true);
    const model = scriptedModel(["better"]);
    const { system } = await createWith(store, model);
    const thread = await system.open("t000");
    expect(thread.view().quarantined).toMatchObject({ reason: "process-died", times: 4 });
    expect(thread.view().lastFailure?.code).toBe("QUARANTINED");
    expect(model.requestCount).toBe(0);
    expect(await thread.ask("do not do that")).toBe("better");
    expect(thread.view().quarantined).toBeNull();
    const facts = (await store.feed({ after: 0, limit: 1_000 })).map(({ type }) => type);
    expect(facts).toEqual(expect.arrayContaining(["thread.quarantined", "thread.released"]));
    await system.stop();
  });

  it("goes on when it is released, without a word", async () => {
    const store = await left(1);
    for (let life = 0; life < 5; life++) await live(store, () => true);
    const { system } = await createWith(store, scriptedModel(["done"]));
    const thread = await system.open("t000");
    expect(await thread.release()).toBe(true);
    await settle(40);
    expect(await thread.atRest()).toBe("idle");
    expect((await thread.history()).map(({ entry }) => entry.kind)).toEqual(["user", "turn"]);
    await system.stop();
  });

  it("is not counted by systems that were stopped in order, however often", async () => {
    const store = memoryStore();
    const never = () => new Promise<never>(() => {});
    const work = defineTool({
      name: "work",
      description: "Works.",
      inputSchema: z.object({}),
      onRestart: "again",
      run: never,
    });
    const model = scriptedModel([{ calls: [{ id: "c1", name: "work", args: {} }] }]);
    for (let life = 0; life < 6; life++) {
      const { system } = await createWith(store, model, { tools: [work] });
      const thread = await system.open("t");
      if (life === 0) await thread.send("go");
      expect(await thread.atRest()).toBe("awaitingActiveCall");
      expect(thread.view().quarantined).toBeNull();
      await system.stop();
    }
    expect((await store.load("t" as ThreadId))?.record.restarts).toBe(0);
  });
});

describe("a thread that cannot be read", () => {
  const damaged = (store: Store, is: { broken: boolean }): Store => ({
    ...store,
    async load(threadId) {
      if (threadId === "t001" && is.broken)
        throw new StoreCorruptError("x.db", { what: "the record", threadId }, "it is no JSON");
      return store.load(threadId);
    },
  });

  it("is left alone and named once; the others are served", async () => {
    const errors: string[] = [];
    const logger = { ...silentLogger, error: (fields: object) => void errors.push(JSON.stringify(fields)) };
    const store = damaged(await left(3), { broken: true });
    const model = scriptedModel(() => "ok");
    const { system } = await createWith(store, model, { logger });
    await settle(40);
    expect(model.requestCount).toBe(2);
    await system.deliver({ threadId: "t001", dedupId: "e", input: { kind: "text", text: "wait", whileBusy: "wait" } });
    await settle(40);
    expect(errors.every((line) => line.includes("t001"))).toBe(true);
    await system.stop();
  });

  it("is tried again when somebody writes to it, and goes on once it can be read", async () => {
    const is = { broken: true };
    const shared = await left(3);
    const model = scriptedModel(() => "ok");
    const { system } = await createWith(damaged(shared, is), model);
    await settle(40);
    is.broken = false;
    await system.deliver({ threadId: "t001", dedupId: "e", input: { kind: "text", text: "now?" } });
    await settle(40);
    expect(model.requestCount).toBe(3);
    expect(await shared.threads({ withWork: true })).toEqual([]);
    await system.stop();
  });
});
