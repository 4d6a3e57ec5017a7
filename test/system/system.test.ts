import { setTimeout as later } from "node:timers/promises";
import { lastValueFrom } from "rxjs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSender,
  createSystem,
  defineTool,
  InputRefusedError,
  memoryStore,
  OptionError,
  RepeatedInputError,
  resultFor,
  SystemStoppedError,
  ThreadExistsError,
  ThreadIdError,
  ToolNameError,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { byHand, calls, look, systemWith } from "../support/system/started.ts";

describe("a system", () => {
  it("answers a text, through a tool", async () => {
    const system = await systemWith({ model: scriptedModel([calls("look", { at: "it" }), "done"]), tools: [look] });
    const thread = await system.open("t");
    expect(await thread.ask("go")).toBe("done");
    const kinds = (await thread.history()).map(({ entry }) => entry.kind);
    expect(kinds).toEqual(["user", "turn", "result", "turn"]);
    expect(thread.state).toBe("idle");
  });

  it("finds the thread that is there when it is opened again, and ignores the options", async () => {
    const store = memoryStore();
    const system = await systemWith({ model: scriptedModel(["one"]), store });
    await (await system.open("t", { instructions: "be kind" })).ask("hi");
    const again = await system.open("t", { instructions: "be rude" });
    expect(await again.history()).toHaveLength(2);
    expect((await store.load(again.id as never))?.spec.instructions).toBe("be kind");
    expect((await system.thread("t"))?.id).toBe("t");
    expect(await system.thread("other")).toBeUndefined();
  });

  it("launches under a fresh id, and refuses an id that is used or is none", async () => {
    const system = await systemWith({ model: scriptedModel() });
    const [one, two] = [await system.launch(), await system.launch({ id: "two" })];
    expect(one.id).not.toBe(two.id);
    await expect(system.launch({ id: "two" })).rejects.toThrow(ThreadExistsError);
    await expect(system.open("no spaces")).rejects.toThrow(ThreadIdError);
    await expect(system.open("")).rejects.toThrow(ThreadIdError);
  });

  it("takes the same id once (R2)", async () => {
    const model = scriptedModel(["one", "two"]);
    const system = await systemWith({ model });
    const thread = await system.open("t");
    expect(await thread.send("hi", { id: "m1" })).toBe(true);
    await thread.atRest();
    expect(await thread.send("hi", { id: "m1" })).toBe(false);
    expect(await thread.send("hi", { id: "m1", sender: "other" })).toBe(true);
    await thread.atRest();
    expect(model.requestCount).toBe(2);
    await expect(thread.ask("hi", { id: "m1" })).rejects.toThrow(RepeatedInputError);
  });

  it("creates nothing for an input to an unknown thread, and says what would work", async () => {
    const system = await systemWith({ model: scriptedModel() });
    const lost = { threadId: "ghost", dedupId: "1", input: { kind: "text", text: "hi" } };
    await expect(system.deliver(lost)).rejects.toThrow(/"ghost": there is no such thread/);
    expect(await system.thread("ghost")).toBeUndefined();
  });

  it("refuses text beyond the limit and blank text; nothing of it is in the thread (R1)", async () => {
    const model = scriptedModel(["ok"]);
    const system = await systemWith({ model });
    const thread = await system.open("t");
    await expect(thread.send("x".repeat(10_000_000))).rejects.toThrow(InputRefusedError);
    await expect(thread.send("  \n")).rejects.toThrow(InputRefusedError);
    expect(await thread.history()).toEqual([]);
    await thread.ask(`lone \ud800 and nul \0`);
    expect(JSON.stringify(model.requests[0]?.prompt)).not.toMatch(/ud800|u0000/);
  });

  it("refuses what a full inbox has no room for and takes it later; results still come in", async () => {
    const { tool, addresses } = byHand();
    const model = scriptedModel([calls("build"), "ok"]);
    const system = await systemWith({ model, tools: [tool], limits: { inbox: 2 } });
    const thread = await system.open("t");
    await thread.send("go");
    await thread.atRest();
    const patient = { whileBusy: "wait" } as const;
    await thread.send("one", patient);
    await thread.send("two", patient);
    await expect(thread.send("three", { ...patient, id: "3" })).rejects.toThrow(/inbox is full/);
    expect(thread.view().deferred).toHaveLength(2);
    await system.deliver(resultFor(addresses[0] ?? "", "built"));
    await thread.atRest();
    expect(await thread.send("three", { ...patient, id: "3" })).toBe(true);
  });

  it("gives a thread the tools it asks for by name or as objects, and names clashes and strangers", async () => {
    const model = scriptedModel(() => "ok");
    const other = defineTool({
      ...{ name: "look", description: "Another.", inputSchema: z.object({}) },
      run: () => "",
    });
    const system = await systemWith({ model, tools: [], toolbox: [look] });
    const plain = await system.open("plain");
    const with1 = await system.open("with", { tools: ["look"] });
    await plain.ask("hi");
    await with1.ask("hi");
    const names = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(names[0]).not.toContain("look");
    expect(names[1]).toContain("look");
    await expect(system.open("x", { tools: ["nope"] })).rejects.toThrow(/"nope".*known are.*look/);
    await expect(system.open("x", { tools: [other] })).rejects.toThrow(ToolNameError);
    await expect(createSystem({ model, tools: [look, other] })).rejects.toThrow(/`tools` of the system/);
  });

  it("takes a tool that is given twice as one", async () => {
    const system = await systemWith({ model: scriptedModel(["ok"]), tools: [look, look] });
    expect(await (await system.open("t")).ask("hi")).toBe("ok");
  });

  it("ignores the options of a thread that exists, also those that could not be met", async () => {
    const store = memoryStore();
    const first = await systemWith({ model: scriptedModel(["one"]), store, toolbox: [look] });
    await (await first.open("t", { tools: ["look"] })).ask("hi");
    await first.stop();
    const next = await systemWith({ model: scriptedModel(["two"]), store });
    expect(await (await next.open("t", { tools: ["look"] })).ask("hi")).toBe("two");
  });

  it("holds what tools send to the same door as everybody (R5)", async () => {
    const errors: unknown[] = [];
    const tool = defineTool({
      name: "work",
      description: "Works.",
      inputSchema: z.object({}),
      run: async (_, call) => {
        const { threadId } = call;
        for (const input of [{ kind: "text", text: " " }, { kind: "gossip" }, { kind: "result", content: "x" }])
          await call.sender.send({ threadId, dedupId: "1", input } as never).catch((error) => errors.push(error));
        await call.sender.send({ ...call.event({ text: "x" }), dedupId: "" }).catch((error) => errors.push(error));
        return "done";
      },
    });
    const system = await systemWith({ model: scriptedModel([calls("work"), "ok"]), tools: [tool] });
    expect(await (await system.open("t")).ask("go")).toBe("ok");
    expect(errors).toHaveLength(4);
    for (const error of errors) expect(error).toBeInstanceOf(InputRefusedError);
  });

  it("loses nothing that two senders accept while a thread is loaded (R1)", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const inner = memoryStore();
      const store: typeof inner = {
        ...inner,
        load: async (id) => {
          const loaded = await inner.load(id);
          for (let turn = 0; turn < 6; turn++) await undefined;
          return loaded;
        },
      };
      const first = await systemWith({ model: scriptedModel(), store });
      await first.open("t");
      await first.stop();
      const system = await systemWith({ model: scriptedModel(() => "ok"), store });
      const other = createSender(store);
      const text = (words: string) => ({ threadId: "t", dedupId: words, input: { kind: "text", text: words } });
      const sent = system.deliver(text("a"));
      for (let turn = 0; turn < turns; turn++) await undefined;
      await Promise.all([sent, other.send(text("b")), system.deliver(text("c"))]);
      const thread = await system.open("t");
      while ((await thread.history()).filter(({ entry }) => entry.kind === "user").length < 3) await later(0);
      await thread.atRest();
      await other.stop();
    }
  });

  it("rejects who waits for rest when it stops, and ends the streams of states", async () => {
    const model = scriptedModel();
    const system = await systemWith({ model });
    const thread = await system.open("t");
    await thread.send("go");
    const ended = lastValueFrom(thread.state$);
    const rest = expect(thread.atRest()).rejects.toThrow(SystemStoppedError);
    await system.stop();
    await rest;
    expect(await ended).toBe("running");
  });

  it("says which option cannot work", async () => {
    const model = scriptedModel();
    await expect(createSystem({ model, limits: { round: 1 } as never })).rejects.toThrow(
      /limits.round.*there are inbox/,
    );
    await expect(createSystem({ model, limits: { rounds: -1 } })).rejects.toThrow(OptionError);
    await expect(createSystem({} as never)).rejects.toThrow(/model/);
  });

  it("is not broken by an observer that throws, and lets it be", async () => {
    let heard = 0;
    const inspect = () => {
      heard += 1;
      throw new Error("no");
    };
    const system = await systemWith({ model: scriptedModel(["one", "two"]), inspect });
    const thread = await system.open("t");
    expect(await thread.ask("a")).toBe("one");
    expect(await thread.ask("b")).toBe("two");
    await system.stop();
    expect(heard).toBe(1);
  });

  it("says nothing more after it was stopped, and what was accepted waits for the next one (R1)", async () => {
    const store = memoryStore();
    const model = scriptedModel();
    const system = await systemWith({ model, store });
    const thread = await system.open("t");
    await thread.send("hi");
    await model.next();
    await system.stop();
    expect(model.requests[0]?.aborted).toBe(true);
    await expect(thread.send("more")).rejects.toThrow(SystemStoppedError);
    const next = await systemWith({ model: scriptedModel(["hello"]), store });
    const again = await next.open("t");
    await again.atRest();
    expect((await again.history()).map(({ entry }) => entry.kind)).toEqual(["user", "turn"]);
  });
});
