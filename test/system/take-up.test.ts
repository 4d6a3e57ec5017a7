import { describe, expect, it } from "vitest";
import type { ThreadId } from "../../machines/history/ids.ts";
import { createSystem, memoryStore, type Store, StoreCorruptError, silentLogger } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { deliver, spec } from "../../src/testing/store/material.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

const left = async (count: number): Promise<Store> => {
  const store = memoryStore();
  for (let index = 0; index < count; index++) {
    const id = `t${String(index).padStart(5, "0")}` as ThreadId;
    await store.create(id, spec, 1);
    await store.accept([deliver(id, "a")], { inboxLimit: 10 });
  }
  return store;
};

describe("a system on a store with much to take up", () => {
  it("takes up ten thousand threads a few at a time, each once, while somebody is served", {
    timeout: 60_000,
  }, async () => {
    const count = 10_000;
    const store = await left(count);
    let loading = 0;
    let most = 0;
    const loads = new Map<string, number>();
    const counted: Store = {
      ...store,
      async load(threadId) {
        most = Math.max(most, ++loading);
        loads.set(threadId, (loads.get(threadId) ?? 0) + 1);
        await Promise.resolve();
        const loaded = await store.load(threadId);
        loading--;
        return loaded;
      },
    };
    const model = scriptedModel(() => "ok", { keep: 0 });
    const system = await createSystem({ model, store: counted, logger: silentLogger, limits: { residents: 200 } });
    const somebody = await system.open("somebody");
    expect(await somebody.ask("hello")).toBe("ok");
    while ((await store.threads({ withWork: true })).length > 0) await settle();
    expect(most).toBeLessThanOrEqual(40);
    expect(model.requestCount).toBe(count + 1);
    await system.stop();
  });

  it("leaves one that cannot be read where it is, and takes up the others", async () => {
    const store = await left(3);
    const errors: string[] = [];
    const damaged: Store = {
      ...store,
      async load(threadId) {
        if (threadId === "t00001")
          throw new StoreCorruptError("x.db", { what: "the record", threadId }, "it is no JSON");
        return store.load(threadId);
      },
    };
    const logger = { ...silentLogger, error: (fields: object) => void errors.push(JSON.stringify(fields)) };
    const model = scriptedModel(() => "ok");
    const system = await createSystem({ model, store: damaged, clock: virtualClock(), logger });
    await settle(40);
    expect(model.requestCount).toBe(2);
    expect(errors).toEqual([expect.stringContaining("t00001")]);
    await system.stop();
  });

  it("begins nothing more once it is told to stop", async () => {
    const store = await left(500);
    const model = scriptedModel(() => "ok");
    const system = await createSystem({ model, store, clock: virtualClock(), logger: silentLogger });
    await system.stop();
    const begun = model.requestCount;
    await settle(40);
    expect(model.requestCount).toBe(begun);
    expect(begun).toBeLessThan(500);
  });
});
