import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createSystem, defineTool, InputRefusedError, memoryStore, silentLogger } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { call, calls, childrenOf, discardsOf, eventsOf, plant, quiet, resultsOf, spawn, statesOf } from "./tree.ts";

const never = () => new Promise<never>(() => {});
const work = (run: () => unknown = never) =>
  defineTool({ name: "work", description: "Works.", inputSchema: z.object({}), run });
const stores = { memory: () => memoryStore(), sqlite: () => sqliteStore(":memory:") };

describe.each(Object.entries(stores))("a child that does odd things, on %s", (_, makeStore) => {
  it("is refused its parent's id, and an id that nobody has, and goes on", async () => {
    const tree = await plant(
      ({ id, nth }) => {
        if (!id) return nth === 1 ? calls(spawn("odd")) : "ok";
        if (nth === 1) return calls(call("close_thread", { thread_id: "root" }));
        if (nth === 2) return calls(call("close_thread", { thread_id: "nobody" }));
        if (nth === 3) return calls(call("send_message_to_child", { thread_id: "root", message: "hey" }));
        return "I stay.";
      },
      { store: makeStore() },
    );
    await tree.root.send("go");
    await tree.root.atRest({ tree: true });
    const [child = ""] = await childrenOf(tree);
    const results = await resultsOf(tree, child);
    expect(results.slice(1).map((text) => text.split(":")[0])).toEqual(["validation", "validation", "validation"]);
    expect(await statesOf(tree)).toEqual({ root: "idle", [child]: "idle" });
  });

  it("closes once: a second close of the turn is refused, and nothing of it is heard twice", async () => {
    const tree = await plant(
      ({ id, nth }) => {
        if (!id) return nth === 1 ? calls(spawn("close twice")) : "ok";
        const close = (report: string) => call("close_thread", { thread_id: id, report_to_parent: report });
        return calls(close("first"), close("second"));
      },
      { store: makeStore() },
    );
    await tree.root.send("go");
    await tree.root.atRest({ tree: true });
    const [child = ""] = await childrenOf(tree);
    expect((await resultsOf(tree, child)).slice(1).map((text) => text.split(":")[0])).toEqual(["ack", "validation"]);
    expect(await eventsOf(tree)).toEqual([expect.stringContaining("first")]);
  });

  it("reports nothing once it has closed, from wherever the report comes", async () => {
    const tree = await plant(
      ({ id, nth }) => {
        if (!id) return nth === 1 ? calls(spawn("close")) : "ok";
        // What stands behind the close in its turn is still inside of it; the end comes last.
        return calls(call("close_thread", { thread_id: id }), call("report_to_parent", { report: "beside it" }));
      },
      { store: makeStore() },
    );
    await tree.root.send("go");
    await tree.root.atRest({ tree: true });
    const [child = ""] = await childrenOf(tree);
    expect(await eventsOf(tree)).toEqual(["beside it", expect.stringContaining("has closed")]);
    await tree.system.deliver({ threadId: "root", dedupId: "late", input: { kind: "report", child, text: "late" } });
    await quiet();
    expect(await discardsOf(tree)).toEqual(["report of root: unknown-source"]);
    await expect((await tree.system.thread(child))?.send("hello")).rejects.toBeInstanceOf(InputRefusedError);
  });

  it("cannot spawn without end: neither in breadth nor in depth", async () => {
    const tree = await plant(
      ({ stack, nth }) => (nth > 3 ? "enough" : calls(spawn("more", stack), spawn("and more", stack))),
      {
        store: makeStore(),
        limits: { children: 3, depth: 2 },
      },
    );
    await tree.root.send("go");
    await tree.root.atRest({ tree: true });
    const below = await childrenOf(tree);
    expect(below).toHaveLength(3);
    for (const child of below) {
      const grandchildren = await childrenOf(tree, child);
      expect(grandchildren).toHaveLength(3);
      for (const grandchild of grandchildren) expect(await childrenOf(tree, grandchild)).toEqual([]);
    }
    expect((await resultsOf(tree, "root")).filter((text) => text.startsWith("validation"))).toHaveLength(3);
  });

  it("may be told something by its parent alone, and not by its grandparent, nor after it has closed", async () => {
    let grandchild = "";
    const tree = await plant(
      ({ id, stack, nth, last }) => {
        if (stack.length === 3) {
          grandchild = id ?? "";
          return last.includes("over") ? calls(call("close_thread", { thread_id: id })) : "listening";
        }
        if (id) return nth === 1 ? calls(spawn("listen", stack)) : "ok";
        if (nth === 1) return calls(spawn("spawn one"));
        if (last.includes("whisper"))
          return calls(call("send_message_to_child", { thread_id: grandchild, message: "psst" }));
        return "ok";
      },
      { store: makeStore() },
    );
    await tree.root.send("go");
    await tree.root.atRest({ tree: true });
    await tree.root.send("whisper");
    await tree.root.atRest({ tree: true });
    expect((await resultsOf(tree, "root")).at(-1)).toMatch(/^validation: .*/);
    await tree.system.deliver({
      threadId: grandchild,
      dedupId: "x",
      input: { kind: "message", parent: "root", text: "from above" },
    });
    await quiet();
    expect(await discardsOf(tree)).toContain(`message of ${grandchild}: unknown-source`);
    expect(await eventsOf(tree, grandchild)).toEqual([]);
  });
});

describe.each(Object.entries(stores))("a parent that ends, on %s", (_, makeStore) => {
  it("closes while ten children work: all are told to stop, none is left, and each end is told once", async () => {
    const signals: AbortSignal[] = [];
    const tool = defineTool({
      name: "work",
      description: "Works.",
      inputSchema: z.object({}),
      run: (_, { signal }) => {
        signals.push(signal);
        return never();
      },
    });
    const tree = await plant(
      ({ id, nth }) => {
        if (id) return calls(call("work"));
        return nth <= 10 ? calls(spawn(`part ${nth}`)) : "all at work";
      },
      { store: makeStore(), tools: [tool] },
    );
    await tree.root.send("go");
    await tree.root.atRest({ tree: true });
    expect(signals).toHaveLength(10);
    await tree.root.close();
    await quiet(60);
    expect(new Set(Object.values(await statesOf(tree)))).toEqual(new Set(["closed"]));
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    const ended = (await tree.store.feed({ after: 0, limit: 10_000 })).filter(({ type }) => type === "child.ended");
    expect(ended).toHaveLength(10);
  });

  it("is halted while a child is being spawned: the child is halted too, and both go on when the root is told to", async () => {
    const store = makeStore();
    let halted = false;
    let halt = async (): Promise<unknown> => undefined;
    const tree = await plant(
      ({ id, nth, last }) => {
        if (id) return last.includes("go on") ? "I go on" : calls(call("work"));
        return nth === 1 ? calls(spawn("work")) : "ok";
      },
      {
        tools: [work()],
        store: {
          ...store,
          // The halt comes in the middle of the commit that opens the child.
          async commit(commit, at) {
            if (commit.children.opened.length > 0 && !halted) {
              halted = true;
              void halt();
            }
            return store.commit(commit, at);
          },
        },
      },
    );
    halt = () => tree.root.halt();
    await tree.root.send("go");
    await quiet();
    const [child = ""] = await childrenOf(tree);
    const thread = await tree.system.thread(child);
    expect([tree.root.view().halted, thread?.view().halted]).toEqual([true, true]);
    expect(await statesOf(tree)).toEqual({ root: "idle", [child]: "idle" });
    await tree.root.send("go on");
    await quiet();
    expect([tree.root.view().halted, thread?.view().halted]).toEqual([false, false]);
  });

  it("closes beside other calls of its turn: those are not made, and its children end with it", async () => {
    let made = 0;
    const tool = work(() => ++made);
    const wait = defineTool({
      name: "wait",
      description: "Waits.",
      inputSchema: z.object({}),
      passive: true,
      run: never,
    });
    const watch = defineTool({
      name: "watch",
      description: "Watches.",
      inputSchema: z.object({}),
      subscribe: () => ({ started: `watching ${++made}`, events: (async function* () {})() }),
    });
    const look = defineTool({ name: "look", description: "Looks.", inputSchema: z.object({}), inline: () => "seen" });
    const tree = await plant(
      ({ id, stack, nth }) => {
        if (!id) return nth === 1 ? calls(spawn("close")) : "ok";
        if (stack.length === 3) return calls(call("sleep_until_event_or_input"));
        if (nth === 1) return calls(spawn("sleep", stack));
        return calls(
          call("work"),
          call("wait"),
          call("watch"),
          call("look"),
          call("sleep", { seconds: 1 }),
          call("nobody"),
          call("close_thread", { thread_id: id, report_to_parent: "bye" }),
        );
      },
      { store: makeStore(), tools: [tool, wait, watch, look] },
    );
    await tree.root.send("go");
    await tree.root.atRest({ tree: true });
    await quiet();
    const [child = ""] = await childrenOf(tree);
    const [grandchild = ""] = await childrenOf(tree, child);
    expect(await statesOf(tree)).toEqual({ root: "idle", [child]: "closed", [grandchild]: "closed" });
    expect(made).toBe(0);
    expect((await resultsOf(tree, child)).slice(2).map((text) => text.split(":")[0])).toEqual([
      "not_executed",
      "not_executed",
      "not_executed",
      "sync",
      "not_executed",
      "unknown_tool",
      "ack",
    ]);
    expect(await eventsOf(tree)).toEqual([expect.stringContaining("bye")]);
  });
});

it("has a thousand children one after the other, and keeps none of them in memory", { timeout: 60_000 }, async () => {
  const children = 1_000;
  // Read at their ends alone: requests that grow with the thread cost no more than that here.
  const model = scriptedModel(
    ({ prompt }) => {
      const last = JSON.stringify(prompt.slice(-2));
      const [, id] = /Your thread id is ([^ ]+)\. Your full/.exec(last) ?? [];
      if (id) return calls(call("close_thread", { thread_id: id }));
      return last.includes('"more"') ? calls(spawn("end")) : "ok";
    },
    { keep: 0 },
  );
  const system = await createSystem({ model, logger: silentLogger, limits: { rounds: 1e6, equalCalls: 1e6 } });
  const root = await system.open("root");
  const open: number[] = [];
  for (let nth = 1; nth <= children; nth++) {
    await root.send("more");
    await root.atRest({ tree: true });
    open.push(root.view().children.length);
  }
  expect(new Set(open)).toEqual(new Set([0]));
  expect(await system.threads({ state: "closed" })).toHaveLength(children);
  await system.stop();
});
