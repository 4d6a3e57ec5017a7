import { describe, expect, it } from "vitest";
import type { Update } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import { byHand, calls, look, systemWith } from "../support/system/started.ts";

describe("a viewer that attaches", () => {
  it("finds no thread where there is none, and makes none", async () => {
    const system = await systemWith({ model: scriptedModel([]) });
    expect(await system.thread("nobody")).toBeUndefined();
    expect(await system.threads()).toEqual([]);
  });

  it("sees the question, what was said and thought so far, and nothing twice when the round is over", async () => {
    const model = scriptedModel((request) => {
      request.stream([{ reasoning_delta: "hm" }], "open");
      return undefined;
    });
    const system = await systemWith({ model, clock: virtualClock() });
    const thread = await system.open("t");
    await thread.send("why?", { id: "m1" });
    await settle();
    const [request] = model.requests;
    const thinking = await thread.snapshot();
    expect(thinking.round).toMatchObject({ thinking: "hm", text: "", inputs: [{ dedupId: "m1" }] });
    expect([thinking.state, thinking.history]).toEqual(["running", []]);
    request?.stream([{ text: "because" }], "open");
    await settle();
    expect((await thread.snapshot()).round).toMatchObject({ thinking: null, text: "because" });
    request?.stream([], "final");
    await thread.atRest();
    const over = await thread.snapshot();
    expect([over.round, over.history.map(({ entry }) => entry.kind)]).toEqual([null, ["user", "turn"]]);
  });

  it("goes on with the updates behind the snapshot's feed position, and misses no fact", async () => {
    const { tool } = byHand();
    const system = await systemWith({ model: scriptedModel([calls("build"), "bye"]), tools: [tool] });
    const thread = await system.open("t");
    await thread.send("go");
    await thread.atRest();
    const updates: Update[] = [];
    thread.updates$.subscribe((update) => updates.push(update));
    const { feed, history, calls: outstanding } = await thread.snapshot();
    expect(outstanding).toHaveLength(1);
    await thread.ask("leave it");
    const later = updates.flatMap((update) => (update.type === "entry.added" && update.feed > feed ? [update] : []));
    expect([...history, ...later].map(({ position }) => position).sort()).toEqual(
      (await thread.history()).map(({ position }) => position).sort(),
    );
  });

  it("shows what a child inherits", async () => {
    const spawn = { name: "spawn_thread", args: { instructions: "look", child_of: ["t"] } };
    const system = await systemWith({
      model: scriptedModel(({ ordinal }) => (ordinal === 1 ? { calls: [spawn] } : "done")),
      tools: [look],
    });
    const thread = await system.open("t");
    await thread.send("split");
    await thread.atRest({ tree: true });
    const [child] = thread.view().children;
    const snapshot = await (await system.thread(child?.threadId ?? ""))?.snapshot();
    expect(snapshot?.history[0]?.entry).toMatchObject({ kind: "user", text: "split" });
    expect(snapshot?.opening?.parent).toBe("t");
  });
});
