import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSystem,
  defineTool,
  LeaseHeldError,
  memoryStore,
  resultFor,
  StepModeError,
  type System,
  silentLogger,
  textFor,
} from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { SystemOptions } from "../../src/system/api.ts";
import { byHand, calls, look, systemWith } from "../support/system/started.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const stepped = (script: Script, options: Partial<SystemOptions> = {}): Promise<System> =>
  systemWith({ model: scriptedModel(script), resident: false, ...options });

const text = (threadId: string, id: string, said = id) => textFor(threadId, said, { id });
const entriesOf = async (system: System, id: string) =>
  ((await (await system.thread(id))?.history()) ?? []).map(({ entry }) => entry.kind);

describe.each([
  ["memory", memoryStore],
  ["sqlite", () => sqliteStore(":memory:")],
])("slices, on the %s store", (_, makeStore) => {
  it("run one slice of each thread in the batch and say what became of it", async () => {
    const system = await stepped(["one", "two"], { store: makeStore() });
    await system.open("t1");
    await system.open("t2");
    const done = await system.slices([text("t1", "m1"), text("t2", "m2")]);
    expect(done).toEqual({
      threads: [
        { threadId: "t1", outcome: "completed", state: "idle", more: false },
        { threadId: "t2", outcome: "completed", state: "idle", more: false },
      ],
      wake: [],
      timers: [],
    });
    expect(await entriesOf(system, "t1")).toEqual(["user", "turn"]);
    expect((await system.thread("t1"))?.state).toBe("idle");
  });

  it("take an input once, in one batch and in the next (R2)", async () => {
    const system = await stepped(["one"], { store: makeStore() });
    await system.open("t1");
    await system.slices([text("t1", "m1"), text("t1", "m1")]);
    const again = await system.slices([text("t1", "m1")]);
    expect(again.threads).toEqual([{ threadId: "t1", outcome: "completed", state: "idle", more: false }]);
    expect(await entriesOf(system, "t1")).toEqual(["user", "turn"]);
  });

  it("wait for a tool that runs, and name its thread to be brought back", async () => {
    const system = await stepped([calls("look", { at: "it" }), "seen"], { store: makeStore(), tools: [look] });
    await system.open("t1");
    const first = await system.slices([text("t1", "m1")]);
    expect(first.threads).toEqual([{ threadId: "t1", outcome: "completed", state: "awaitingActiveCall", more: false }]);
    expect(first.wake).toEqual(["t1"]);
    const next = await system.slices(first.wake.map((threadId) => ({ threadId })));
    expect(next.threads[0]?.state).toBe("idle");
    expect(await entriesOf(system, "t1")).toEqual(["user", "turn", "result", "turn"]);
  });

  it("hand the work that outlives them to waitUntil", async () => {
    const gate = Promise.withResolvers<string>();
    const slow = defineTool({
      name: "slow",
      description: "Slow.",
      inputSchema: z.object({}),
      run: () => gate.promise,
    });
    const works: Promise<{ wake: readonly string[] }>[] = [];
    const system = await stepped([calls("slow"), "done"], { store: makeStore(), tools: [slow] });
    await system.open("t1");
    const first = await system.slices([text("t1", "m1")], { waitUntil: (work) => void works.push(work) });
    expect(first.wake).toEqual([]);
    // The thread is brought back while its tool is at work: the call is not taken for one that died.
    await system.slices([{ threadId: "t1" }]);
    expect(await entriesOf(system, "t1")).toEqual(["user", "turn"]);
    gate.resolve("ready");
    expect(await Promise.all(works)).toEqual([{ wake: ["t1"] }]);
    await system.slices([{ threadId: "t1" }]);
    expect(await entriesOf(system, "t1")).toEqual(["user", "turn", "result", "turn"]);
  });

  it("do nothing for a call that somebody else ends, until its result is brought", async () => {
    const { tool, addresses } = byHand();
    const system = await stepped([calls("build"), "built"], { store: makeStore(), tools: [tool] });
    await system.open("t1");
    const first = await system.slices([text("t1", "m1")]);
    expect([first.threads[0]?.state, first.wake]).toEqual(["awaitingActiveCall", []]);
    const next = await system.slices([resultFor(addresses[0] ?? "", "done", { id: "r" })]);
    expect([next.threads[0]?.state, next.wake]).toEqual(["idle", []]);
  });

  it("tell when a wait ends, and end it when the thread is brought back then", async () => {
    const clock = virtualClock(1_000);
    const system = await stepped([calls("sleep", { seconds: 60 }), "awake"], { store: makeStore(), clock });
    await system.open("t1");
    const first = await system.slices([text("t1", "m1")]);
    expect([first.threads[0]?.state, first.timers]).toEqual(["idlePassive", [{ threadId: "t1", at: 61_000 }]]);
    const early = await system.slices(first.timers);
    expect(early.threads[0]?.state).toBe("idlePassive");
    await clock.advance(60_000);
    const due = await system.slices(first.timers);
    expect([due.threads[0]?.state, due.timers]).toEqual(["idle", []]);
  });

  it("name children to be brought back, and parents that were written to", async () => {
    const spawn = {
      calls: [
        {
          id: "c1",
          name: "spawn_thread",
          args: { instructions: "look", child_of: ["t1"] },
        },
      ],
    };
    const report = { calls: [{ id: "c2", name: "report_to_parent", args: { report: "found" } }] };
    const system = await stepped([spawn, "waiting", report, "reported", "thanks"], { store: makeStore() });
    await system.open("t1");
    const first = await system.slices([text("t1", "m1")]);
    expect(first.wake).toHaveLength(1);
    const child = await system.slices(first.wake.map((threadId) => ({ threadId })));
    expect(child.wake).toEqual(["t1"]);
    const parent = await system.slices([{ threadId: "t1" }]);
    expect(parent.threads[0]?.state).toBe("idle");
    expect((await entriesOf(system, "t1")).at(-1)).toBe("turn");
  });

  it("leave rounds to the next call once their budget is used up", async () => {
    const clock = virtualClock();
    const inline = defineTool({
      name: "glance",
      description: "Glances.",
      inputSchema: z.object({}),
      inline: async () => {
        await clock.advance(500);
        return "seen";
      },
    });
    const system = await stepped([calls("glance"), "done"], { store: makeStore(), clock, tools: [inline] });
    await system.open("t1");
    const first = await system.slices([text("t1", "m1")], { budget: 400 });
    expect(first).toEqual({
      threads: [{ threadId: "t1", outcome: "completed", state: "running", more: true }],
      wake: ["t1"],
      timers: [],
    });
    const next = await system.slices([{ threadId: "t1" }], { budget: 400 });
    expect(next.threads[0]).toEqual({ threadId: "t1", outcome: "completed", state: "idle", more: false });
    expect(await entriesOf(system, "t1")).toEqual(["user", "turn", "result", "turn"]);
  });

  it("skip a thread that another slice runs, and lose nothing of what it was sent (R1, R8)", async () => {
    const model = scriptedModel([() => undefined, "second"]);
    const store = makeStore();
    const [one, two] = await Promise.all([1, 2].map(() => stepped([], { model, store })));
    await one?.open("t1");
    const running = one?.slices([text("t1", "m1")]);
    const open = await model.next();
    const skipped = await two?.slices([text("t1", "m2")]);
    expect(skipped?.threads[0]).toMatchObject({ outcome: "skipped", state: null, more: true });
    expect(skipped?.wake).toEqual(["t1"]);
    open.answer("first");
    await running;
    await two?.slices([{ threadId: "t1" }]);
    expect(two && (await entriesOf(two, "t1"))).toEqual(["user", "turn", "user", "turn"]);
  });

  it("fail for unknown and closed threads alone", async () => {
    const system = await stepped(["fine"], { store: makeStore() });
    await system.open("t1");
    const closed = await system.open("t2");
    await closed.close();
    expect((await system.slices([{ threadId: "t2" }])).threads[0]?.state).toBe("closed");
    const { threads } = await system.slices([text("t0", "m1"), text("t1", "m1"), text("t2", "m1")]);
    expect(threads).toEqual([
      { threadId: "t0", outcome: "failed", state: null, more: false, error: expect.any(Error) },
      { threadId: "t1", outcome: "completed", state: "idle", more: false },
      { threadId: "t2", outcome: "failed", state: "closed", more: false, error: expect.any(Error) },
    ]);
    expect(threads.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining("no such thread"),
      undefined,
      expect.stringContaining("is closed"),
    ]);
  });

  it("are refused while a resident system runs the store, which runs what was accepted; and the other way round (R8)", async () => {
    const store = makeStore();
    const resident = await createSystem({ model: scriptedModel(["by itself"]), store, logger: silentLogger });
    const step = await stepped([], { store });
    const thread = await resident.open("t1");
    await expect(step.slices([text("t1", "m1")])).rejects.toThrow(LeaseHeldError);
    await thread.atRest();
    expect(await entriesOf(step, "t1")).toEqual(["user", "turn"]);
    await resident.stop();
    const model = scriptedModel([() => undefined]);
    const other = await stepped([], { model, store });
    const running = other.slices([text("t1", "m2")]);
    const open = await model.next();
    await expect(createSystem({ model, store, logger: silentLogger })).rejects.toThrow(/thread t1 is run by/);
    open.answer("stepped");
    await running;
    const again = await createSystem({ model, store, logger: silentLogger });
    await again.stop();
  });

  it("are refused by a resident system, which says what works", async () => {
    const system = await systemWith({ model: scriptedModel([]), store: makeStore() });
    await expect(system.slices([])).rejects.toThrow(StepModeError);
  });
});
