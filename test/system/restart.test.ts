import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSystem,
  defineTool,
  memoryStore,
  resultFor,
  type Store,
  type System,
  silentLogger,
  type Tool,
} from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

const start = async (store: Store, tools: Tool[], script: Script, clock = virtualClock()) => {
  const model = scriptedModel(script, { strict: true });
  const system = await createSystem({ model, store, tools, clock, logger: silentLogger });
  systems.push(system);
  return { system, model, thread: await system.open("t") };
};

const base = { name: "work", description: "Works.", inputSchema: z.object({}) };
const call = { calls: [{ id: "c1", name: "work", args: {} }] };
/** Lets the loop turn until something holds. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};
const never = () => new Promise<never>(() => {});

/** Runs until the call is out, ends the system, and starts the next with a tool that notes what it is asked. */
const restarted = async (before: Tool, after: Tool, script: Script = ["read"]) => {
  const store = memoryStore();
  const first = await start(store, [before], [call]);
  await first.thread.send("go");
  expect(await first.thread.atRest()).toBe("awaitingActiveCall");
  await first.system.stop();
  return start(store, [after], script);
};

const results = async ({ thread }: Awaited<ReturnType<typeof start>>) =>
  (await thread.history()).flatMap(({ entry }) => (entry.kind === "result" ? [entry.origin] : []));

describe("a system on the store of one that ended", () => {
  it("takes up what was at work there by itself, before anybody asks for the thread (R9)", async () => {
    const store = memoryStore();
    const first = await start(store, [defineTool({ ...base, run: never })], [call]);
    await first.thread.send("go");
    await first.thread.atRest();
    await first.system.stop();
    let made = 0;
    const tool = defineTool({ ...base, onRestart: "again", run: () => ++made });
    const model = scriptedModel(["read"], { strict: true });
    systems.push(await createSystem({ model, store, tools: [tool], clock: virtualClock(), logger: silentLogger }));
    await until(() => model.requests.length === 1);
    expect(made).toBe(0);
  });

  it("says that a call was lost, and does not make it again", async () => {
    let made = 0;
    const next = await restarted(defineTool({ ...base, run: never }), defineTool({ ...base, run: () => (made += 1) }));
    await next.thread.atRest();
    expect(made).toBe(0);
    expect(await results(next)).toEqual(["restart"]);
  });

  it("makes a call again that may be repeated, under the same id", async () => {
    const ids: string[] = [];
    const tool = defineTool({ ...base, onRestart: "again", run: (_, { id }) => (ids.push(id) > 1 ? "ok" : never()) });
    const next = await restarted(tool, tool);
    await until(() => !(next.model.requestCount === 0));
    expect(new Set(ids)).toHaveProperty("size", 1);
    expect(ids).toHaveLength(2);
  });

  it("waits on for a call that was acknowledged; its address is as good as before", async () => {
    const addresses: string[] = [];
    const tool = defineTool({ ...base, dispatch: (_, call) => void addresses.push(call.address) });
    const next = await restarted(tool, tool);
    expect(next.thread.state).toBe("awaitingActiveCall");
    await next.system.deliver(resultFor(addresses[0] ?? "", "built"));
    await next.thread.atRest();
    expect(await results(next)).toEqual(["tool"]);
  });

  it("settles a call to a tool that is gone, if it would have made it again", async () => {
    const other = defineTool({ ...base, name: "other", run: () => "" });
    const next = await restarted(defineTool({ ...base, onRestart: "again", run: never }), other);
    await until(() => !(next.model.requestCount === 0));
    expect(await results(next)).toEqual(["dispatch_failed"]);
  });

  it("opens a subscription again behind its last event, or says that it ended", async () => {
    const store = memoryStore();
    const after: (string | undefined)[] = [];
    const source = async function* () {
      yield { text: "one", id: "e1", associative: true };
      await never();
    };
    const subscribe = () => ({ started: "watching", events: source() });
    const watch = { ...base, name: "work" };
    const first = await start(store, [defineTool({ ...watch, subscribe })], [call, "ok", "one!"]);
    await first.thread.send("go");
    await until(() => !(first.model.requestCount < 3 || first.thread.state !== "subscribed"));
    await first.system.stop();
    const resume = (_: unknown, __: unknown, last: string | undefined) => {
      after.push(last);
      return {
        started: "",
        events: (async function* () {
          yield { text: "two", associative: true };
          await never();
        })(),
      };
    };
    const next = await start(store, [defineTool({ ...watch, subscribe, resume })], ["two!"]);
    await until(() => !(next.model.requestCount < 1 || next.thread.state !== "subscribed"));
    expect(after).toEqual(["e1"]);
    await next.system.stop();
    const last = await start(store, [defineTool({ ...watch, subscribe })], ["over"]);
    await until(() => !(last.thread.state !== "idle"));
    const events = (await last.thread.history()).flatMap(({ entry }) => (entry.kind === "event" ? [entry.text] : []));
    expect(events.slice(0, 2)).toEqual(["one", "two"]);
    expect(events[2]).toMatch(/^The subscription has ended/);
  });

  it("fires what became due meanwhile, once", async () => {
    const store = memoryStore();
    const nap = { calls: [{ id: "z", name: "sleep", args: { seconds: 10 } }] };
    const first = await start(store, [], [nap], virtualClock(0));
    await first.thread.send("nap");
    await first.thread.atRest();
    await first.system.stop();
    const clock = virtualClock(60_000);
    const next = await start(store, [], ["awake"], clock);
    await clock.advance(0);
    expect(next.thread.state).toBe("idle");
    expect(await results(next)).toEqual(["timer"]);
    await clock.advance(60_000);
    expect(next.model.requestCount).toBe(1);
  });
});
