import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSystem,
  defineTool,
  memoryStore,
  type System,
  type SystemOptions,
  silentLogger,
  type ThreadConfig,
  type ThreadConfigRequest,
  type Tool,
  type Update,
} from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

const start = async (
  threadConfig: SystemOptions["threadConfig"],
  script: Script,
  more: Partial<SystemOptions> = {},
) => {
  const clock = virtualClock();
  const model = scriptedModel(script, { strict: true });
  const system = await createSystem({
    model,
    clock,
    logger: silentLogger,
    builtins: false,
    ...(threadConfig && { threadConfig }),
    ...more,
  });
  systems.push(system);
  return { system, model, clock };
};
const tool = (name: string, run: () => unknown = () => "ok"): Tool =>
  defineTool({ name, description: `Does ${name}.`, inputSchema: z.object({}), run });
const offered = ({ model }: Awaited<ReturnType<typeof start>>) =>
  model.requests.map(({ tools }) => tools.map(({ name }) => name).join());

describe("what a thread is configured with", () => {
  it("is asked for at the start of each slice, with who the thread is", async () => {
    const asked: ThreadConfigRequest[] = [];
    let names = ["a"];
    const started = await start(
      (request) => {
        asked.push(request);
        return { tools: names, instructions: `Be ${names}.` };
      },
      ["one", "two"],
      { toolbox: [tool("a"), tool("b")] },
    );
    const thread = await started.system.open("t", { metadata: { tenant: "acme" }, instructions: "Launched." });
    await thread.ask("first");
    names = ["a", "b"];
    await thread.ask("second");
    expect(asked).toMatchObject([
      { threadId: "t", root: "t", parent: null, stack: ["t"], opening: null, metadata: { tenant: "acme" } },
      {},
    ]);
    expect(offered(started)).toEqual(["a", "a,b"]);
    expect(started.model.requests[1]?.prompt[0]).toEqual({ role: "system", content: "Launched.\n\nBe a,b." });
  });

  it("stays as it was for a slice that goes on after inline tools", async () => {
    let asked = 0;
    const inline = defineTool({ name: "add", description: "Adds.", inputSchema: z.object({}), inline: () => "3" });
    const started = await start(
      () => ({ tools: [asked++ === 0 ? inline : tool("other")] }),
      [{ calls: [{ name: "add", args: {} }] }, "done"],
    );
    await (await started.system.open("t")).ask("go");
    expect([asked, offered(started)]).toEqual([1, ["add", "add"]]);
  });

  it("is kept as it is while its version says so, down to the list that the model is sent, until it is reloaded", async () => {
    let tools = [tool("a")];
    const started = await start(() => ({ tools, configVersion: 1 }), ["1", "2", "3"]);
    const thread = await started.system.open("t");
    await thread.ask("first");
    tools = [tool("b")];
    await thread.ask("second");
    thread.reload();
    await thread.ask("third");
    expect(offered(started)).toEqual(["a", "a", "b"]);
  });

  it("may have a model of its own, and the system's again afterwards", async () => {
    const own = scriptedModel(["from mine"]);
    let config: ThreadConfig = { model: own };
    const started = await start(() => config, ["from the system's"]);
    const thread = await started.system.open("t");
    expect(await thread.ask("who?")).toBe("from mine");
    config = {};
    expect(await thread.ask("who?")).toBe("from the system's");
  });

  it("may ask for approval where the system does not", async () => {
    const started = await start(
      ({ metadata }) => ({ approval: metadata.careful ? { a: "ask" } : {} }),
      () => ({ calls: [{ name: "a", args: {} }] }),
      {
        tools: [tool("a")],
        limits: { rounds: 1 },
      },
    );
    for (const careful of [true, false]) {
      const thread = await started.system.open(`t${careful}`, { metadata: { careful } });
      await thread.send("go");
      await settle();
      expect(await thread.choices()).toHaveLength(careful ? 1 : 0);
    }
  });

  it("reaches children: their parent's, unless they are given one", async () => {
    const asked: string[] = [];
    const started = await start(
      ({ threadId, parent, opening }) => {
        asked.push(opening ? `${opening.kind} of ${parent}` : threadId);
        return parent === null ? { tools: [tool("mine")], instructions: "Of the root." } : undefined;
      },
      ({ ordinal }) =>
        ordinal === 1 ? { calls: [{ name: "spawn_thread", args: { instructions: "x", child_of: ["t"] } }] } : "done",
      { builtins: true },
    );
    const thread = await started.system.open("t");
    await thread.send("split");
    await thread.atRest({ tree: true });
    expect(asked).toContain("spawned of t");
    for (const request of started.model.requests) {
      expect(request.tools.map(({ name }) => name)).toContain("mine");
      expect(JSON.stringify(request.prompt[0])).toContain("Of the root.");
    }
  });

  it("finds the tool of a call that a process left behind, before any slice", async () => {
    const store = memoryStore();
    const made: string[] = [];
    const config = (name: string) => () => ({
      tools: [
        defineTool({
          name: "work",
          description: "Works.",
          inputSchema: z.object({}),
          onRestart: "again",
          run: () => {
            made.push(name);
            return name === "first" ? new Promise(() => {}) : "done";
          },
        }),
      ],
    });
    const first = await start(config("first"), [{ calls: [{ name: "work", args: {} }] }], { store });
    await (await first.system.open("t")).send("go");
    await settle();
    await first.system.stop();
    await start(config("second"), ["read"], { store });
    await settle();
    expect(made).toEqual(["first", "second"]);
  });
});

describe("a configuration that cannot be had", () => {
  const failing = async (threadConfig: NonNullable<SystemOptions["threadConfig"]>) => {
    const started = await start(threadConfig, ["done"], { tools: [tool("a")] });
    const thread = await started.system.open("t");
    const updates: Update[] = [];
    thread.updates$.subscribe((update) => updates.push(update));
    await thread.send("go", { id: "m1" });
    await settle();
    const failures = () => updates.flatMap((update) => (update.type === "configuration.failed" ? [update] : []));
    return { ...started, thread, failures };
  };

  it("is asked for again with growing waits, and the slice begins with all that came meanwhile (R1)", async () => {
    let down = true;
    const started = await failing(() => {
      if (down) throw new Error("the database is down");
      return {};
    });
    expect(started.failures()).toMatchObject([{ attempt: 1, wait: 1_000, message: "Error: the database is down" }]);
    await started.thread.send("still there?", { id: "m2" });
    await started.clock.advance(3_600_000);
    expect(started.model.requestCount).toBe(0);
    expect(started.failures().at(-1)).toMatchObject({ wait: 60_000 });
    down = false;
    await started.clock.advance(60_000);
    await started.thread.atRest();
    expect(started.model.requests[0]?.prompt.filter(({ role }) => role === "user").length).toBeGreaterThan(0);
    expect((await started.thread.history()).filter(({ entry }) => entry.kind === "user")).toHaveLength(2);
  });

  it("is given up after a time when it hangs, and holds nobody else up", async () => {
    const started = await failing(({ threadId }) => (threadId === "t" ? new Promise(() => {}) : {}));
    expect(await (await started.system.open("other")).ask("hello")).toBe("done");
    await started.clock.advance(10_000);
    expect(started.failures()).toMatchObject([{ message: expect.stringContaining("10 s") }]);
  });

  it.each([
    ["is no object", 7, /no object/],
    ["has something that there is not", { toolServers: [] }, /no toolServers; there are tools/],
    ["names a tool that nobody knows", { tools: ["b"] }, /"b".*known are a/],
    [
      "has two tools of one name",
      { tools: [tool("a")] },
      /"a".*`tools` of the system.*`tools` of the thread's configuration/,
    ],
    ["has a policy that is none", { approval: { a: "maybe" } }, /approval\.a.*"ask"/],
    ["has no model", { model: "gpt" }, /language model/],
  ])("says what is wrong when it %s", async (_, config, told) => {
    const { failures } = await failing(() => config as never);
    expect(failures()[0]?.message).toMatch(told);
  });

  it("is left alone when the system stops, and the next one asks again (R1)", async () => {
    const store = memoryStore();
    const first = await start(() => Promise.reject(new Error("down")), [], { store });
    await (await first.system.open("t")).send("go");
    await settle();
    await first.system.stop();
    const next = await start(() => ({}), ["done"], { store });
    const thread = await next.system.open("t");
    await thread.atRest();
    expect(next.model.requestCount).toBe(1);
  });

  it("can be had at once when its thread is reloaded while it waits", async () => {
    let down = true;
    const started = await failing(() => {
      if (down) throw new Error("down");
      return {};
    });
    down = false;
    started.thread.reload();
    await settle();
    expect(started.model.requestCount).toBe(1);
  });
});
