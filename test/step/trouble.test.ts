import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineTool,
  InputRefusedError,
  LeaseHeldError,
  OptionError,
  StepModeError,
  type System,
  type SystemOptions,
  ThreadQuarantinedError,
  textFor,
} from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { calls, systemWith } from "../support/system/started.ts";
import { virtualClock } from "../support/virtual-clock.ts";

let folder = "";
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wakeful-step-"));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

/** A worker as it is in a process of its own: with its own connection, and its own clock. */
const worker = async (script: Script, options: Partial<SystemOptions> = {}): Promise<System> => {
  const store = sqliteStore(join(folder, "a.db"), { synchronous: "normal" });
  closing.push(() => store.close());
  const model = scriptedModel(script);
  return systemWith({ model, store, resident: false, clock: virtualClock(1_000), ...options });
};

const text = (threadId: string, id: string) => textFor(threadId, id, { id });
const later = (ms: number) => virtualClock(1_000 + ms);
const entriesOf = async (system: System, id: string) =>
  ((await (await system.thread(id))?.history()) ?? []).map(({ entry }) => entry.kind);
const none = z.object({});
const endless = defineTool({
  name: "endless",
  description: "Never ends.",
  inputSchema: none,
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
});
const never = { waitUntil: () => {} };

describe("a worker that is gone", () => {
  it("whose waitUntil was not honoured loses nothing: the next slice settles the call as after a crash (R9)", async () => {
    const first = await worker([calls("endless")], { tools: [endless] });
    await first.open("t1");
    await first.slices([text("t1", "m1")], never);
    const early = await worker([], { tools: [endless], clock: later(1_000) });
    expect((await early.slices([{ threadId: "t1" }])).threads[0]?.state).toBe("awaitingActiveCall");
    const late = await worker(["never mind"], { tools: [endless], clock: later(60_000) });
    expect((await late.slices([{ threadId: "t1" }])).threads[0]?.state).toBe("idle");
    expect(await entriesOf(late, "t1")).toEqual(["user", "turn", "result", "turn"]);
  });

  it("in the middle of a slice is followed when its lease ran out; what it says then is not heard (R8)", async () => {
    const model = scriptedModel([() => undefined]);
    const first = await worker([], { model });
    await first.open("t1");
    const paused = first.slices([text("t1", "m1")]);
    const open = await model.next();
    const early = await worker([], { clock: later(1_000) });
    const held = await early.slices([{ threadId: "t1" }]);
    expect(held.threads[0]).toMatchObject({ outcome: "skipped", error: expect.any(LeaseHeldError) });
    const next = await worker(["the second says this"], { clock: later(60_000) });
    expect((await next.slices([{ threadId: "t1" }])).threads[0]?.outcome).toBe("completed");
    open.answer("the first says that");
    expect(await paused).toMatchObject({ threads: [{ outcome: "skipped", more: true }], wake: ["t1"] });
    expect(JSON.stringify(await (await next.thread("t1"))?.history())).not.toContain("first says");
  });

  it("leaves other threads of the same worker alone when one lease is lost (R8)", async () => {
    const model = scriptedModel([() => undefined, () => undefined]);
    const first = await worker([], { model });
    for (const id of ["t1", "t2"]) await first.open(id);
    const both = first.slices([text("t1", "m1"), text("t2", "m1")]);
    const [one, two] = [await model.next(), await model.next()];
    const next = await worker(["taken over"], { clock: later(60_000) });
    await next.slices([{ threadId: "t1" }]);
    one.answer("mine");
    two.answer("mine");
    expect((await both).threads.map(({ outcome }) => outcome)).toEqual(["skipped", "completed"]);
  });

  it("again and again has its thread set aside, which is skipped with the reason until somebody writes", async () => {
    for (let death = 0; death < 3; death++) {
      const model = scriptedModel([() => undefined]);
      const doomed = await worker([], { model, clock: later(death * 60_000), limits: { restarts: 1 } });
      await doomed.open("t1");
      void doomed.slices(death === 0 ? [text("t1", "m1")] : [{ threadId: "t1" }]).catch(() => {});
      if (death < 2) await model.next();
    }
    const next = await worker(["better"], { clock: later(240_000), limits: { restarts: 1 } });
    const aside = await next.slices([{ threadId: "t1" }]);
    expect(aside.threads[0]).toMatchObject({ outcome: "skipped", error: expect.any(ThreadQuarantinedError) });
    expect(aside.wake).toEqual([]);
    const written = await next.slices([text("t1", "m2")]);
    expect(written.threads[0]).toMatchObject({ outcome: "completed", state: "idle" });
  });
});

describe("what takes a process that stays is refused", () => {
  const watch = defineTool({
    name: "watch",
    description: "Watches.",
    inputSchema: none,
    subscribe: () => ({ started: "on", events: (async function* () {})() }),
  });

  it("for tools that subscribe: of the system, of a thread, of a configuration", async () => {
    await expect(worker([], { tools: [watch] })).rejects.toThrow(StepModeError);
    await expect(worker([], { toolbox: [watch] })).rejects.toThrow(/Give it dispatch/);
    const system = await worker([calls("watch"), "too bad"], { threadConfig: () => ({ tools: [watch] }) });
    await expect(system.open("t1", { tools: [watch] })).rejects.toThrow(StepModeError);
    await system.open("t1");
    const first = await system.slices([text("t1", "m1")]);
    await system.slices(first.wake.map((threadId) => ({ threadId })));
    expect(JSON.stringify(await (await system.thread("t1"))?.history())).toContain("NOT executed");
  });

  it("for questions of tools, in words that name the way out", async () => {
    const heard: unknown[] = [];
    const ask = defineTool({
      name: "ask",
      description: "Asks.",
      inputSchema: none,
      run: (_, call) =>
        call.ask({ prompt: "?", choices: ["a"], default: 0 }).catch((error) => heard.push(String(error))),
    });
    const system = await worker([calls("ask"), "ok"], { tools: [ask] });
    await system.open("t1");
    await system.slices([text("t1", "m1")]);
    expect(heard).toEqual([expect.stringContaining("use dispatch")]);
  });

  it("for waits of a thread's face", async () => {
    const thread = await (await worker([])).open("t1");
    await expect(thread.ask("hi")).rejects.toThrow(StepModeError);
    await expect(thread.atRest()).rejects.toThrow(/system.slices/);
    await expect(thread.compact()).rejects.toThrow(StepModeError);
  });
});

describe("what is wrong with one thread", () => {
  it("stays with it: a configuration that cannot be had leaves its inputs waiting", async () => {
    let isAway = true;
    const threadConfig = ({ threadId }: { threadId: string }) => {
      if (threadId === "t1" && isAway) throw new Error("the tenants are away");
      return undefined;
    };
    const system = await worker(["two", "one"], { threadConfig });
    for (const id of ["t1", "t2"]) await system.open(id);
    const { threads, wake } = await system.slices([text("t1", "m1"), text("t2", "m1")]);
    expect(threads.map(({ outcome, more }) => [outcome, more])).toEqual([
      ["failed", true],
      ["completed", false],
    ]);
    expect([threads[0]?.error?.message, wake]).toEqual(["the tenants are away", []]);
    isAway = false;
    await system.slices([{ threadId: "t1" }]);
    expect(await entriesOf(system, "t1")).toEqual(["user", "turn"]);
  });

  it("stays with it: an envelope that is none is refused, and its thread is run on the others", async () => {
    const system = await worker(["fine"]);
    await system.open("t1");
    const blank = { threadId: "t1", dedupId: "m0", input: { kind: "text", text: " " } };
    const { threads } = await system.slices([blank, text("t1", "m1")]);
    expect(threads).toEqual([
      { threadId: "t1", outcome: "failed", state: "idle", more: false, error: expect.any(InputRefusedError) },
    ]);
    expect(await entriesOf(system, "t1")).toEqual(["user", "turn"]);
  });

  it("rejects all of a batch where an envelope names no thread, before anything is accepted", async () => {
    const system = await worker([]);
    await system.open("t1");
    await expect(system.slices([text("t1", "m1"), { input: {} }])).rejects.toThrow(InputRefusedError);
    await expect(system.slices([text("t1", "m1"), { threadId: "no id" }])).rejects.toThrow(/no thread id/);
    expect((await system.threads())[0]?.waiting).toBe(0);
    await expect(system.slices([], { budget: 0 })).rejects.toThrow(OptionError);
  });
});

describe("a halt in step mode", () => {
  it("is carried out by the slice that brings it, and reaches the threads below through wake", async () => {
    const spawn = calls("spawn_thread", { instructions: "look", child_of: ["t1"] });
    const system = await worker([spawn, "waiting", "never asked"]);
    await system.open("t1");
    const { wake } = await system.slices([text("t1", "m1")]);
    await (await system.thread("t1"))?.halt();
    const halted = await system.slices([{ threadId: "t1" }]);
    expect(halted.wake).toEqual(wake);
    await system.slices(halted.wake.map((threadId) => ({ threadId })));
    for (const id of ["t1", ...wake]) expect((await system.thread(id))?.view().halted).toBe(true);
  });
});
