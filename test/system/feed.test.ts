import { describe, expect, expectTypeOf, it } from "vitest";
import { createSystem, type FeedItem, memoryStore, type System, silentLogger } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";

const systemOn = (store = memoryStore()) =>
  createSystem({ model: scriptedModel(() => "ok"), store, logger: silentLogger });

const asked = async (system: System): Promise<System> => {
  await (await system.open("a")).ask("one");
  return system;
};

/** Takes `count` facts, then leaves. */
const take = async (feed: AsyncIterable<FeedItem>, count: number): Promise<FeedItem[]> => {
  const facts: FeedItem[] = [];
  for await (const fact of feed) if (facts.push(fact) === count) break;
  return facts;
};

describe("the feed of a system", () => {
  it("has every committed fact of every thread, in commit order, and goes on with those to come", async () => {
    const system = await systemOn();
    const reading = take(system.feed({ where: { types: ["input.accepted", "round.ended"] } }), 4);
    await (await system.open("a")).ask("one");
    await (await system.open("b")).ask("two");
    const facts = await reading;
    expect(facts.map(({ threadId, type }) => `${threadId} ${type}`)).toEqual([
      "a input.accepted",
      "a round.ended",
      "b input.accepted",
      "b round.ended",
    ]);
    expect(facts.map(({ feed }) => feed)).toEqual(facts.map(({ feed }) => feed).toSorted((x, y) => x - y));
    await system.stop();
  });

  it("types facts as what was asked for", async () => {
    const system = await systemOn();
    for await (const fact of (await asked(system)).feed({ where: { types: ["round.ended", "choice.opened"] } })) {
      expectTypeOf(fact.type).toEqualTypeOf<"round.ended" | "choice.opened">();
      expect(fact.type === "round.ended" && fact.text).toBe("ok");
      break;
    }
    expectTypeOf(system.feed()).toEqualTypeOf<AsyncIterable<FeedItem>>();
    await system.stop();
  });

  it("goes on behind the cursor in the next system on the store, and misses nothing", async () => {
    const store = memoryStore();
    const first = await systemOn(store);
    await (await first.open("a")).ask("one");
    const [seen] = await take(first.feed(), 1);
    await first.stop();
    const next = await systemOn(store);
    await (await next.open("a")).ask("two");
    await next.stop();
    const rest: FeedItem[] = [];
    for await (const fact of next.feed({ after: seen?.feed ?? 0 })) rest.push(fact);
    const all: FeedItem[] = [];
    for await (const fact of next.feed()) all.push(fact);
    expect([seen, ...rest]).toEqual(all);
  });

  it("narrows to one thread", async () => {
    const system = await systemOn();
    await (await system.open("a")).ask("one");
    await (await system.open("b")).ask("two");
    await system.stop();
    const threads = new Set<string>();
    for await (const { threadId } of system.feed({ where: { threadId: "b" } })) threads.add(threadId);
    expect([...threads]).toEqual(["b"]);
  });

  it("leaves nothing behind when its reader leaves", async () => {
    const system = await systemOn();
    const thread = await system.open("a");
    await thread.ask("one");
    for (let reader = 0; reader < 100; reader++) await take(system.feed(), 1);
    expect(await thread.ask("two")).toBe("ok");
    await system.stop();
  });
});
