import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ThreadId } from "../../machines/history/ids.ts";
import { createSystem, defineTool, memoryStore, type Store, StoreError, silentLogger } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { SystemOptions } from "../../src/system/api.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import { failingStore, failure } from "../support/resilience/failing-store.ts";

const hour = 3_600_000;

const work = defineTool({
  name: "work",
  description: "Works.",
  inputSchema: z.object({}),
  run: async () => {
    await settle(2);
    return "worked";
  },
});

/** Calls once for each text. */
const model = () =>
  scriptedModel(({ prompt }) => (prompt.at(-1)?.role === "user" ? { calls: [{ name: "work" }] } : "done"), {
    strict: true,
  });

const begin = async (kept: Store, more: Partial<SystemOptions> = {}) => {
  const clock = virtualClock(1_000_000);
  const { store, calls, fail } = failingStore(kept);
  const said: string[] = [];
  const note = (fields: object, text: string): void => void said.push(`${JSON.stringify(fields)} ${text}`);
  const logger = { ...silentLogger, error: note, warn: note } as NonNullable<SystemOptions["logger"]>;
  const asked = model();
  const system = await createSystem({ model: asked, store, clock, tools: [work], logger, ...more });
  return { clock, system, calls, fail, said, asked };
};

const textsOf = async (kept: Store, id: string): Promise<string[]> =>
  (await kept.history(id as ThreadId)).flatMap(({ entry }) => (entry.kind === "user" ? [entry.text] : []));

describe("a store that is away for an hour", () => {
  it("is asked every few seconds, tells each sender, and nothing is lost or doubled when it comes back (R1, R2, R9)", async () => {
    const kept = memoryStore();
    const { clock, system, calls, fail, said, asked } = await begin(kept);
    const ids = ["a", "b", "c"];
    for (const id of ids) {
      const thread = await system.open(id);
      await thread.send("go", { id: "go" });
    }
    await settle(2);
    fail(() => "before");
    const before = calls.length;
    const late = system.deliver({ threadId: "a", dedupId: "late", input: { kind: "text", text: "late" } });
    await expect(late).rejects.toThrow(StoreError);
    await expect(late).rejects.toThrow(/Sending again under the same ids is safe/);
    await clock.advance(hour);
    // Each thread, the looks at inboxes and the timers: at most so many askers, each at most once in a second.
    expect(calls.length - before).toBeLessThan((4 * ids.length * hour) / 5_000 + hour / 1_000);
    expect(said.some((line) => line.includes("tries again") && line.includes("the disk is away"))).toBe(true);
    fail(() => undefined);
    expect(await system.deliver({ threadId: "a", dedupId: "late", input: { kind: "text", text: "late" } })).toBe(true);
    await clock.advance(60_000);
    expect(await textsOf(kept, "a")).toEqual(["go", "late"]);
    for (const id of ids) expect((await system.open(id)).state).toBe("idle");
    expect(await kept.threads({ withWork: true })).toEqual([]);
    expect(asked.requests.flatMap(({ refusals }) => refusals)).toEqual([]);
    await system.stop();
  });

  it("keeps no system from stopping; what was under way is told of by the next (R9)", async () => {
    const kept = memoryStore();
    const { clock, system, fail } = await begin(kept);
    const thread = await system.open("a");
    await thread.send("go", { id: "go" });
    await settle(2);
    fail(() => "before");
    let stopped = false;
    const stopping = system.stop().then(() => {
      stopped = true;
    });
    await clock.advance(30_000);
    expect(stopped).toBe(true);
    await stopping;
    const next = await begin(kept);
    await next.clock.advance(60_000);
    expect(await textsOf(kept, "a")).toEqual(["go"]);
    expect(await kept.threads({ withWork: true })).toEqual([]);
    await next.system.stop();
  });
});

describe("a store that is away when a system is to begin", () => {
  const starts = ["threads", "lease", "acceptedAfter"] as const;

  it.each(starts)("(%s) has it refused, and nothing of it goes on: the next begins at once", async (method) => {
    for (const how of ["before", "after"] as const) {
      const kept = sqliteStore(":memory:");
      const clock = virtualClock(1_000_000);
      const { store, calls } = failingStore(kept, (call) => (call.method === method ? how : undefined));
      const options = { model: model(), clock, logger: silentLogger };
      await expect(createSystem({ ...options, store })).rejects.toThrow(failure().message);
      const after = calls.length;
      await clock.advance(60_000);
      expect(calls.length).toBe(after);
      const system = await createSystem({ ...options, store: kept });
      await system.stop();
      await kept.close();
    }
  });
});

describe("a store that fails for one thread alone", () => {
  const about = (given: readonly unknown[], threadId: string): boolean =>
    given[0] === threadId || (given[0] as { threadId?: string } | undefined)?.threadId === threadId;

  it("keeps no other from being served, and the one goes on when it can (R1, R8)", async () => {
    const kept = memoryStore();
    const { clock, system, fail } = await begin(kept, { limits: { hibernateAfter: 1_000 } });
    for (const id of ["good", "bad"]) await system.open(id);
    await clock.advance(5_000);
    fail(({ method, given }) => (method !== "accept" && about(given, "bad") ? "before" : undefined));
    const send = (threadId: string, text: string) =>
      system.deliver({ threadId, dedupId: text, input: { kind: "text", text } });
    expect(await Promise.all([send("bad", "one"), send("good", "one")])).toEqual([true, true]);
    await clock.advance(60_000);
    expect(await textsOf(kept, "good")).toEqual(["one"]);
    await send("good", "two");
    await clock.advance(hour);
    expect(await textsOf(kept, "good")).toEqual(["one", "two"]);
    expect(await textsOf(kept, "bad")).toEqual([]);
    fail(() => undefined);
    await clock.advance(60_000);
    expect(await textsOf(kept, "bad")).toEqual(["one"]);
    expect(await kept.threads({ withWork: true })).toEqual([]);
    await system.stop();
  });

  it("hides from nobody what other processes sent to all others (R1, R8)", async () => {
    const kept = sqliteStore(":memory:");
    const { clock, system, fail } = await begin(kept);
    for (const id of ["bad", "good"]) await system.open(id);
    fail(({ method, given }) => (method === "load" && about(given, "bad") ? "before" : undefined));
    // As another process does it: nobody of this one is told.
    const at = clock.now();
    for (const threadId of ["bad", "good"] as ThreadId[]) {
      const input = { kind: "text", text: "from outside", sender: "user", whileBusy: "interrupt" } as const;
      await kept.accept([{ threadId, dedupId: "x", key: "x", input, at, facts: [] }], { inboxLimit: 10 });
    }
    await clock.advance(60_000);
    expect(await textsOf(kept, "good")).toEqual(["from outside"]);
    fail(() => undefined);
    await clock.advance(60_000);
    expect(await textsOf(kept, "bad")).toEqual(["from outside"]);
    await system.stop();
    await kept.close();
  });
});
