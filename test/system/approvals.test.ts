import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  answerFor,
  createSender,
  createSystem,
  defineTool,
  type FeedItem,
  memoryStore,
  type Store,
  type System,
  type SystemOptions,
  silentLogger,
  type Tool,
} from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

const inputSchema = z.object({ path: z.string().default("/") });
const removing = (more: Partial<SystemOptions> = {}, needs: unknown = true) => {
  const removed: string[] = [];
  const remove = defineTool({
    name: "remove",
    description: "Removes.",
    inputSchema,
    needsApproval: needs as boolean,
    run: ({ path }) => {
      removed.push(path);
      return `removed ${path}`;
    },
  });
  return { removed, remove, more };
};

const start = async (tools: Tool[], script: Script, more: Partial<SystemOptions> = {}) => {
  const clock = virtualClock();
  const model = scriptedModel(script, { strict: true });
  const system = await createSystem({ model, tools, clock, logger: silentLogger, ...more });
  systems.push(system);
  return { system, model, clock, thread: await system.open("t") };
};
const call = (path = "/", name = "remove") => ({ calls: [{ name, args: { path } }] });
const resultsIn = async ({ thread }: Awaited<ReturnType<typeof start>>) =>
  (await thread.history()).flatMap(({ entry }) =>
    entry.kind === "result"
      ? [`${entry.origin}: ${entry.content[0]?.type === "text" ? entry.content[0].text : ""}`]
      : [],
  );
const asked = async (started: Awaited<ReturnType<typeof start>>) => {
  await started.thread.send("go");
  await settle();
  const [choice] = await started.thread.choices();
  return choice?.choiceId ?? "";
};

describe("a tool that needs approval", () => {
  it("runs once a person approves, and not before", async () => {
    const { removed, remove } = removing();
    const started = await start([remove], [call("/a"), "done"]);
    const id = await asked(started);
    expect([started.thread.state, removed]).toEqual(["awaitingActiveCall", []]);
    expect(await started.thread.answer(id, "approve", { by: "ann" })).toBe(true);
    await settle();
    expect(removed).toEqual(["/a"]);
    expect(await resultsIn(started)).toEqual(["tool: removed /a"]);
  });

  it("is told to be at work again once it was approved, to those who watch", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const slow = defineTool({
      name: "remove",
      description: "Removes.",
      inputSchema,
      needsApproval: true,
      run: () => promise,
    });
    const started = await start([slow], [call(), "done"]);
    const states: string[] = [];
    started.thread.updates$.subscribe((update) => {
      if (update.type === "state.changed") states.push(update.state);
    });
    const id = await asked(started);
    expect(states).toEqual(["running", "awaitingActiveCall"]);
    await started.thread.answer(id, "approve");
    await settle();
    expect(states.slice(2)).toEqual(["running", "awaitingActiveCall"]);
    resolve("gone");
    await settle();
    expect(states.slice(4)).toEqual(["running", "idle"]);
  });

  it("is denied with a reason that the model reads, and asked for again by its next call", async () => {
    const { removed, remove } = removing();
    const started = await start([remove], [call("/a"), call("/b"), "done"]);
    await started.thread.answer(await asked(started), "deny", { by: "ann", reason: "ask me tomorrow" });
    await settle();
    expect((await resultsIn(started))[0]).toMatch(/^denied: Error: NOT executed: ann denied.*ask me tomorrow/);
    const [again] = await started.thread.choices();
    expect(again?.prompt).toContain("/b");
    await started.thread.answer(again?.choiceId ?? "", 0);
    await settle();
    expect(removed).toEqual(["/b"]);
  });

  it("is denied when its day is over, by the clock", async () => {
    const { removed, remove } = removing();
    const started = await start([remove], [call(), "done"], { limits: { approval: 60_000 } });
    await asked(started);
    await started.clock.advance(60_001);
    await settle();
    expect([removed, (await resultsIn(started))[0]]).toEqual([[], expect.stringMatching(/^denied:.*in time/)]);
  });

  it("is asked about only where its own function says so, and where that fails", async () => {
    const needs = ({ path }: { path: string }) => {
      if (path === "!") throw new Error("cannot tell");
      return path !== "/tmp";
    };
    const { removed, remove } = removing({}, needs);
    const started = await start([remove], [call("/tmp"), call("/etc"), "done"]);
    const id = await asked(started);
    expect([removed, (await started.thread.choices())[0]?.prompt]).toEqual([["/tmp"], expect.stringContaining("/etc")]);
    await started.thread.answer(id, "approve");
    await settle();
    const failing = await start([removing({}, needs).remove], [call("!"), "done"]);
    expect(await asked(failing)).not.toBe("");
  });

  it("follows the policy of the system before its own word", async () => {
    const { removed, remove } = removing();
    const free = await start([remove], [call("/a"), "done"], { approval: { remove: "allow" } });
    expect([await asked(free), removed]).toEqual(["", ["/a"]]);
    const never = await start([remove], [call("/b"), "done"], { approval: { remove: "deny" } });
    expect([await asked(never), removed]).toEqual(["", ["/a"]]);
    expect((await resultsIn(never))[0]).toMatch(/^denied: Error: NOT executed/);
    const harmless = removing({}, false);
    const wary = await start([harmless.remove], [call("/c"), "done"], { approval: { remove: "ask" } });
    expect([await asked(wary), harmless.removed]).toEqual([expect.stringContaining("#"), []]);
  });

  it("cannot be asked for where nobody could wait: an inline tool refuses the policy", async () => {
    const inline = defineTool({ name: "remove", description: "Removes.", inputSchema, inline: () => "ok" });
    await expect(start([inline], ["done"], { approval: { remove: "ask" } })).rejects.toThrow(/approval.*inline/);
  });

  it("refuses an answer that comes late, names no choice, or is for no question of the thread", async () => {
    const started = await start([removing().remove], [call(), "done"]);
    const id = await asked(started);
    await expect(started.thread.answer(id, 7)).rejects.toMatchObject({
      code: "NO_SUCH_CHOICE",
      choices: { length: 3 },
    });
    await expect(started.thread.answer(id, "maybe")).rejects.toThrow(/"maybe".*0 \("approve"\)/);
    await expect(started.thread.answer("t#9.9", 0)).rejects.toMatchObject({ code: "CHOICE_CLOSED" });
    await expect(started.thread.answer("nonsense", 0)).rejects.toMatchObject({ code: "CHOICE_CLOSED" });
    await started.thread.answer(id, 0);
    await settle();
    await expect(started.thread.answer(id, "deny")).rejects.toMatchObject({ code: "CHOICE_CLOSED" });
    const other = await started.system.open("other");
    await expect(other.answer(id, 0)).rejects.toThrow(/of thread other/);
  });

  it("takes the first of two answers, and tells the second that it was late", async () => {
    const { removed, remove } = removing();
    const started = await start([remove], [call(), "done"]);
    const id = await asked(started);
    const both = await Promise.allSettled([
      started.thread.answer(id, "approve", { by: "ann" }),
      started.thread.answer(id, "deny", { by: "bob" }),
    ]);
    await settle();
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(removed).toHaveLength(1);
  });

  it("is answered from another process, and says so in the feed", async () => {
    const { removed, remove } = removing();
    const store = memoryStore();
    const started = await start([remove], [call(), "done"], { store });
    const id = await asked(started);
    await createSender(store).send(answerFor(id, "approve", { by: "ann" }));
    await settle();
    const facts: FeedItem[] = [];
    for (const fact of await store.feed({ after: 0, limit: 100 }))
      if (fact.type.startsWith("choice.")) facts.push(fact);
    expect(facts).toMatchObject([
      { type: "choice.opened", choiceId: id, name: "remove" },
      { type: "choice.closed", choiceId: id, outcome: "answered", choice: "approve", answer: { by: "ann" } },
    ]);
    expect(removed).toHaveLength(1);
  });

  it("waits on over a restart, on a disk too, and is handed over once (R7)", async () => {
    for (const store of [memoryStore(), sqliteStore(":memory:")] as Store[]) {
      const { removed, remove } = removing();
      const id = await asked(await start([remove], [call("/a")], { store }));
      await systems.pop()?.stop();
      const again = await start([remove], ["done"], { store });
      expect((await again.thread.choices()).map(({ choiceId }) => choiceId)).toEqual([id]);
      await again.thread.answer(id, "approve");
      await settle();
      expect(removed).toEqual(["/a"]);
      await systems.pop()?.stop();
      await store.close();
    }
  });

  it("is asked for by a child, and answered through the root", async () => {
    const { removed, remove } = removing();
    const started = await start([remove], (request) => {
      const text = JSON.stringify(request.prompt);
      if (request.ordinal === 1)
        return { calls: [{ name: "spawn_thread", args: { instructions: "clean", child_of: ["t"] } }] };
      if (text.includes("clean") && !text.includes("NOT executed") && request.ordinal < 4) return call("/child");
      return "done";
    });
    await started.thread.send("go");
    await settle();
    const choices = await started.thread.choices({ tree: true });
    expect(choices.length).toBeGreaterThan(0);
    for (const { choiceId } of choices) await started.thread.answer(choiceId, "approve");
    await settle();
    expect(removed.length).toBe(choices.length);
  });
});
