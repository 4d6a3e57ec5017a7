import { afterEach, describe, expect, it } from "vitest";
import { type CrashPoint, crashPoints, onPoint, point } from "../../src/crash-points.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { alpha, callOf, commitOf, deliver, roomy, spec, waitingIn } from "../../src/testing/store/material.ts";

const hooks: (() => void)[] = [];
afterEach(() => {
  for (const unhook of hooks.splice(0)) unhook();
});
const hooked = (hook: (name: CrashPoint) => void) => void hooks.push(onPoint(hook));

/** From now on, the process dies at the first visit of `where`: everything that waits for it gets the error. */
const crashAt = (where: CrashPoint) =>
  hooked((name) => {
    if (name === where) throw new Error(`crash at ${where}`);
  });

const storeWithThread = async () => {
  const store = memoryStore();
  await store.create(alpha, spec, 1);
  return store;
};

describe("a crash point", () => {
  it("tells every hook, in the order they were set, until it is taken away", () => {
    const seen: string[] = [];
    const first = onPoint((name) => seen.push(`first ${name}`));
    const second = onPoint((name) => seen.push(`second ${name}`));
    point("marked");
    first();
    first();
    point("committed");
    second();
    point("accepted");
    expect(seen).toEqual(["first marked", "second marked", "second committed"]);
  });

  it("keeps a hook that was set twice until both are taken away", () => {
    const seen: CrashPoint[] = [];
    const hook = (name: CrashPoint) => void seen.push(name);
    const takeAway = onPoint(hook);
    hooked(hook);
    takeAway();
    takeAway();
    point("marked");
    expect(seen).toEqual(["marked"]);
  });

  it("has a name of its own", () => expect(new Set(crashPoints).size).toBe(crashPoints.length));
});

describe("a crash in the memory store", () => {
  it("at `accepting` leaves nothing: the key is unseen (R2)", async () => {
    const store = await storeWithThread();
    crashAt("accepting");
    await expect(store.accept([deliver(alpha, "a")], roomy)).rejects.toThrow("crash at accepting");
    hooks.splice(0).forEach((unhook) => {
      unhook();
    });
    expect(await store.accept([deliver(alpha, "a")], roomy)).toMatchObject([{ status: "accepted" }]);
  });

  it("at `accepted` leaves the inputs, which nobody was told of (R1)", async () => {
    const store = await storeWithThread();
    crashAt("accepted");
    await expect(store.accept([deliver(alpha, "a")], roomy)).rejects.toThrow("crash at accepted");
    expect(await waitingIn(store, alpha)).toEqual(["a"]);
  });

  it("at `committing` leaves nothing of the commit", async () => {
    const store = await storeWithThread();
    crashAt("committing");
    await expect(store.commit(commitOf(alpha, 0), 1)).rejects.toThrow("crash at committing");
    expect((await store.load(alpha))?.version).toBe(0);
  });

  it("at `committed` leaves the commit as a whole, its calls not handed over (R7)", async () => {
    const store = await storeWithThread();
    crashAt("committed");
    const made = [callOf(alpha, 1)];
    await expect(store.commit(commitOf(alpha, 0, { calls: { made, settled: [] } }), 1)).rejects.toThrow();
    expect(await store.load(alpha)).toMatchObject({ version: 1, calls: [{ status: "committed" }] });
  });

  it("at `created` leaves the thread, at `acknowledged` the mark", async () => {
    const store = memoryStore();
    crashAt("created");
    crashAt("acknowledged");
    await expect(store.create(alpha, spec, 1)).rejects.toThrow("crash at created");
    await store.commit(commitOf(alpha, 0, { calls: { made: [callOf(alpha, 1)], settled: [] } }), 1);
    await store.mark(alpha, [callOf(alpha, 1).callId], "started");
    await expect(store.mark(alpha, [callOf(alpha, 1).callId], "acknowledged")).rejects.toThrow("crash");
    expect(await store.load(alpha)).toMatchObject({ calls: [{ status: "acknowledged" }] });
  });
});
