import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSystem,
  defineTool,
  InputRefusedError,
  memoryStore,
  type Store,
  type System,
  silentLogger,
  type Thread,
  type Tool,
} from "../../src/index.ts";
import { type ScriptedReply, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { settle, virtualClock } from "../support/virtual-clock.ts";

const base = { description: "", inputSchema: z.object({}) };
const call = (name: string, args: object = {}) => ({ calls: [{ name, args: { ...args } }] });
const spawn = (instructions: string, stack: readonly string[] = ["root"]) =>
  call("spawn_thread", { instructions, child_of: stack });

/** The last thing a request says, and the id of the child that it is asked for; undefined for a root. */
const read = (prompt: unknown) => {
  const text = JSON.stringify(prompt);
  return { text, child: [...text.matchAll(/Your thread id is ([^ ]+)\./g)].at(-1)?.[1] };
};

const start = async (
  reply: ScriptedReply,
  { store = memoryStore() as Store, tools = [] as Tool[], limits = {} } = {},
) => {
  const clock = virtualClock();
  const model = scriptedModel(reply, { strict: true });
  const system = await createSystem({ model, store, clock, tools, limits, logger: silentLogger });
  return { system, clock, model, root: await system.open("root") };
};

const kinds = async (thread: Thread | undefined) =>
  ((await thread?.history()) ?? []).map(({ entry }) => {
    if (entry.kind === "user" || entry.kind === "event") return `${entry.kind}: ${entry.text}`;
    return entry.kind === "result" ? `${entry.name}: ${entry.origin}` : entry.kind;
  });

const childOf = async (system: System, thread: Thread): Promise<Thread> => {
  const id = (await system.threads({ parent: thread.id as never }))[0]?.threadId ?? "";
  return (await system.thread(id)) as Thread;
};

describe.each([
  ["memory", () => memoryStore()],
  ["sqlite", () => sqliteStore(":memory:")],
])("a family on %s", (_, makeStore) => {
  it("works side by side, and hears of each other", async () => {
    const { system, root } = await start(
      ({ prompt }) => {
        const { text, child } = read(prompt);
        if (!child) {
          if (text.includes("has closed")) return "The child says 42.";
          return text.includes("Spawned") ? "Started." : spawn("Find the number.");
        }
        return text.includes("Half way")
          ? call("close_thread", { thread_id: child, report_to_parent: "42" })
          : call("report_to_parent", { report: "Half way" });
      },
      { store: makeStore() },
    );
    await root.send("go");
    expect(await root.atRest({ tree: true })).toBe("idle");
    expect(await kinds(root)).toEqual([
      "user: go",
      "turn",
      "spawn_thread: spawned",
      "turn",
      expect.stringMatching(/^event: Half way/),
      "turn",
      expect.stringMatching(/^event: .* has closed.*42/s),
      "turn",
    ]);
    const child = await childOf(system, root);
    expect(child.state).toBe("closed");
    expect(await kinds(child)).toEqual([
      "spawn_thread: spawn_seed",
      "turn",
      "report_to_parent: ack",
      "turn",
      "close_thread: ack",
    ]);
    expect((await child.history({ inherited: true })).map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    await expect(child.send("hello?")).rejects.toThrow(InputRefusedError);
    expect(root.view().children).toEqual([]);
    await system.stop();
  });

  it("goes on after a restart in the middle, with nothing said twice (R1, R2)", async () => {
    const store = makeStore();
    const reply: ScriptedReply = ({ prompt }) => {
      const { text, child } = read(prompt);
      if (!child) {
        if (text.includes("has closed")) return "Heard.";
        return text.includes("Spawned") ? "Started." : spawn("Work.");
      }
      return text.includes('"done"') ? call("close_thread", { thread_id: child }) : call("work");
    };
    const answers: (() => void)[] = [];
    const work = defineTool({
      ...base,
      name: "work",
      onRestart: "again",
      run: () => new Promise((resolve) => answers.push(() => resolve("done"))),
    });
    const first = await start(reply, { store, tools: [work] });
    await first.root.send("go");
    expect(await first.root.atRest({ tree: true })).toBe("idle");
    expect(answers).toHaveLength(1);
    await first.system.stop();
    const next = await start(reply, { store, tools: [work] });
    await settle();
    expect(answers).toHaveLength(2);
    answers[1]?.();
    await settle();
    expect(await next.root.atRest({ tree: true })).toBe("idle");
    expect((await kinds(next.root)).filter((entry) => entry.includes("has closed"))).toHaveLength(1);
    await next.system.stop();
  });

  it("halts and resumes as one, and closes as one", async () => {
    const signals: AbortSignal[] = [];
    const work = defineTool({
      ...base,
      name: "work",
      run: (_, { signal, threadStack }) => {
        expect(threadStack).toHaveLength(3);
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    const { system, root } = await start(
      ({ prompt }) => {
        const { text, child } = read(prompt);
        const stack = JSON.parse(
          /root first, is (\[.*?\])/g.exec(text.replaceAll("\\", ""))?.[1] ?? '["root"]',
        ) as string[];
        if (child && text.split("Your thread id is").length > 2) return call("work");
        if (text.includes("Spawned the child thread")) return "Waiting.";
        return spawn("Go on.", child ? stack : ["root"]);
      },
      { store: makeStore(), tools: [work] },
    );
    await root.send("go");
    await settle(40);
    const child = await childOf(system, root);
    const grandchild = await childOf(system, child);
    expect(grandchild.state).toBe("awaitingActiveCall");
    await root.halt();
    await settle(40);
    expect(signals[0]?.aborted).toBe(true);
    for (const thread of [root, child, grandchild])
      expect(thread.view()).toMatchObject({ state: "idle", halted: true });
    await root.send("hello again");
    await settle(40);
    for (const thread of [root, child, grandchild]) expect(thread.view().halted).toBe(false);
    await root.close();
    await settle(40);
    for (const thread of [root, child, grandchild]) expect(thread.state).toBe("closed");
    expect((await system.threads({ state: "closed" })).length).toBe(3);
    await system.stop();
  });
});
