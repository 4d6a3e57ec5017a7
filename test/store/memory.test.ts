import { describe, expect, it } from "vitest";
import { StoreClosedError, StoreError } from "../../src/errors.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { alpha, commitOf, deliver, roomy, spec, user } from "../../src/testing/store/material.ts";
import { storeSuite } from "../../src/testing/store/suite.ts";

describe("the memory store", () => {
  for (const { rule, name, check } of storeSuite(memoryStore)) it(`${rule}: ${name}`, check);

  it("says which use came after close", async () => {
    const store = memoryStore();
    await store.close();
    await expect(store.load(alpha)).rejects.toThrow(StoreClosedError);
    await expect(store.load(alpha)).rejects.toThrow(/thread suite\/alpha was loaded/);
  });

  it("says which thread a commit was for, and which position is taken", async () => {
    const store = memoryStore();
    await expect(store.commit(commitOf(alpha, 0), 1)).rejects.toThrow(StoreError);
    await store.create(alpha, spec, 1);
    const doubled = commitOf(alpha, 0, { entries: [user(3), user(3)] });
    await expect(store.commit(doubled, 1)).rejects.toThrow(/position 3 of thread suite\/alpha/);
  });

  it("keeps inputs and entries by reference: nothing is copied on the way in or out", async () => {
    const store = memoryStore();
    await store.create(alpha, spec, 1);
    const given = deliver(alpha, "a");
    await store.accept([given], roomy);
    const placed = user(0);
    await store.commit(commitOf(alpha, 0, { entries: [placed] }), 2);
    expect((await store.load(alpha))?.inbox[0]?.input).toBe(given.input);
    expect((await store.history(alpha))[0]).toBe(placed);
  });
});
