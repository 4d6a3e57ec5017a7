import { describe, expect, it } from "vitest";
import { demoModel } from "../../src/index.ts";
import { silentLogger } from "../../src/logger.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import type { System } from "../../src/system/api.ts";
import { createSystem } from "../../src/system/create.ts";
import type { Update } from "../../src/thread/update.ts";
import { settle, virtualClock } from "../support/virtual-clock.ts";

const begin = async (store = memoryStore(), clock = virtualClock(1_000)) => ({
  clock,
  store,
  system: await createSystem({ model: demoModel(), store, clock, logger: silentLogger }),
});

/** What the feed has of a tree, in the order of its positions. */
const feedOf = async (system: System): Promise<Update[]> => {
  const facts: Update[] = [];
  const reading = (async () => {
    for await (const fact of system.feed()) facts.push(fact);
  })();
  await settle(30);
  await system.stop();
  await reading;
  return facts;
};
const positions = (updates: readonly Update[]): number[] =>
  updates.flatMap((update) => ("feed" in update ? [update.feed] : []));

describe("the updates of a tree", () => {
  it("have every fact of children and of theirs, in commit order for each, from their beginning on", async () => {
    const { system } = await begin();
    const root = await system.open("root", { instructions: 'Your full thread stack, root first, is ["root"].' });
    const seen: Update[] = [];
    root.treeUpdates$.subscribe((update) => seen.push(update));
    await root.send("split: say one | split: say two | say three");
    await root.atRest({ tree: true });
    await settle(30);

    expect(new Set(seen.map(({ threadId }) => threadId)).size).toBe(5);
    expect(seen.some(({ type, threadId }) => type === "text.delta" && threadId !== "root")).toBe(true);
    // What a child begins with is part of its parent's commit, and is told by `child.opened`.
    const opened = (update: Update) => update.type === "entry.added" && update.entry.kind === "result";
    const facts = (await feedOf(system)).filter(
      (fact) => !(fact.threadId !== "root" && (opened(fact) || fact.type === "state.changed")),
    );
    for (const threadId of new Set(facts.map((fact) => fact.threadId))) {
      const told = positions(seen.filter((update) => update.threadId === threadId));
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      expect(told).toEqual(expect.arrayContaining(positions(facts.filter((fact) => fact.threadId === threadId))));
    }
  });

  it("go on with children that were there before anybody listened, and with theirs", async () => {
    const { system, clock } = await begin();
    const root = await system.open("root", { instructions: 'Your full thread stack, root first, is ["root"].' });
    await root.send("split: split: sleep 60 | say two");
    await root.atRest({ tree: true });
    const seen: Update[] = [];
    root.treeUpdates$.subscribe((update) => seen.push(update));
    await settle(30);
    await clock.advance(60_000);
    await root.atRest({ tree: true });
    const closed = seen.filter((update) => update.type === "state.changed" && update.state === "closed");
    expect(closed).toHaveLength(2);
    expect(seen.at(-1)).toMatchObject({ threadId: "root", type: "state.changed", state: "idle" });
    await system.stop();
  });

  it("end with the system, and can be left before", async () => {
    const { system } = await begin();
    const root = await system.open("root");
    let isOver = false;
    const left: Update[] = [];
    root.treeUpdates$.subscribe({ complete: () => (isOver = true) });
    root.treeUpdates$.subscribe((update) => left.push(update)).unsubscribe();
    const first = root.updates({ tree: true })[Symbol.asyncIterator]().next();
    await root.send("say hi");
    expect((await first).value).toMatchObject({ type: "input.accepted", threadId: "root" });
    await system.stop();
    expect(isOver).toBe(true);
    expect(left).toEqual([]);
  });
});
