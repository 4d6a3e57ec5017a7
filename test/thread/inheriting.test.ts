import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { ThreadId } from "../../machines/history/ids.ts";
import { defineTool, memoryStore, type Store } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { createConversation } from "../../src/thread/conversation.ts";
import { systemWith } from "../support/system/started.ts";

const style = { eventsAs: "call" as const, supportsImages: true };
const user = (position: number): PlacedEntry => ({ position, entry: { kind: "user", at: 1, text: `m${position}` } });

/** Counts the entries that histories hand out. */
const counting = (store: Store) => {
  const read = { entries: 0 };
  const counted: Store = {
    ...store,
    async history(...asked) {
      const entries = await store.history(...asked);
      read.entries += entries.length;
      return entries;
    },
  };
  return { counted, read };
};

const fresh = defineTool({ name: "look", description: "Looks.", inputSchema: z.object({}), inline: () => "seen" });

describe("a child whose parent is in memory", () => {
  it("reads its own entries alone, however long the conversation above it is", async () => {
    const { counted, read } = counting(memoryStore());
    const system = await systemWith({
      model: scriptedModel(({ ordinal, prompt }) => {
        const isChild = JSON.stringify(prompt).includes("have a look");
        if (ordinal <= 60) return { calls: [{ name: "look", args: {} }] };
        return !isChild && ordinal === 61
          ? { calls: [{ name: "spawn_thread", args: { instructions: "have a look", child_of: ["t"] } }] }
          : "done";
      }),
      store: counted,
      tools: [fresh],
      limits: { equalCalls: 1_000 },
    });
    const thread = await system.open("t");
    await thread.send("go");
    await thread.atRest({ tree: true });
    const handedOut = read.entries;
    expect((await thread.history()).length).toBeGreaterThan(120);
    expect(handedOut).toBeLessThan(5);
  });

  it("is told the same as one that comes back into memory without it", async () => {
    const prompts: string[] = [];
    const store = memoryStore();
    const script = (spawns: boolean) =>
      scriptedModel(({ ordinal, prompt }) => {
        prompts.push(JSON.stringify(prompt.slice(0, 4)));
        return spawns && ordinal === 1
          ? { calls: [{ name: "spawn_thread", args: { instructions: "x", child_of: ["t"] } }] }
          : "done";
      });
    const first = await systemWith({ model: script(true), store });
    const thread = await first.open("t");
    await thread.send("go");
    await thread.atRest({ tree: true });
    const childId = thread.view().children[0]?.threadId as ThreadId;
    const told = prompts.find((prompt) => prompt.includes("You are a child thread"));
    await first.stop();
    prompts.length = 0;
    const next = await systemWith({ model: script(false), store });
    await (await next.thread(childId))?.ask("again");
    const [again = ""] = prompts;
    expect(told).toBeDefined();
    expect(JSON.parse(again).slice(0, 3)).toEqual(JSON.parse(told ?? "[]").slice(0, 3));
  });
});

describe("what children inherit of a commit", () => {
  it("ends where each begins, whatever order its entries have", async () => {
    const conversation = createConversation(memoryStore(), { threadId: "t" as ThreadId, opening: null });
    expect(conversation.append([], [1])).toEqual([undefined]);
    await conversation.load(style, {
      record: { nextPosition: 0 },
      calls: [],
      summary: null,
      at: 1,
      freshId: () => "n",
    });
    const inherited = conversation.append([user(1), user(0), user(2), user(3)], [3, 1, 3]);
    const texts = inherited.map((each) => JSON.stringify(each?.builder.prompt("")).match(/m\d/g));
    expect(texts).toEqual([["m0", "m1", "m2"], ["m0"], ["m0", "m1", "m2"]]);
    expect(JSON.stringify(conversation.prompt("", [])).match(/m\d/g)).toHaveLength(4);
  });
});
