import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Budget,
  createSystem,
  defineTool,
  type FeedItem,
  memoryStore,
  OptionError,
  type Store,
  type System,
  type SystemOptions,
  silentLogger,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { virtualClock } from "../../src/testing/virtual-clock.ts";

const usage = { input_tokens: 80, output_tokens: 20 };
const says = (text: string) => ({ text, usage });
const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

const start = async (options: Partial<SystemOptions> & Pick<SystemOptions, "model">): Promise<System> => {
  const system = await createSystem({ logger: silentLogger, clock: virtualClock(1_000_000), ...options });
  systems.push(system);
  return system;
};

const answers = () => scriptedModel(() => says("Yes."), { keep: 0 });

/** Everything in the feed so far. */
const factsOf = async (store: Store): Promise<readonly FeedItem[]> =>
  store.feed({ after: 0, limit: Number.MAX_SAFE_INTEGER });

describe("the budget of a tree", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "wakeful-budgets-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is counted over restarts, and a text goes on only when it was raised", async () => {
    const live = async <T>(budget: Budget, ask: (system: System) => Promise<T>): Promise<T> => {
      const store = sqliteStore(join(folder, "a.db"), { synchronous: "normal" });
      const system = await createSystem({ model: answers(), store, budget, logger: silentLogger });
      try {
        return await ask(system);
      } finally {
        await system.stop();
        await store.close();
      }
    };
    const asks = (text: string) => async (system: System) => (await system.open("t")).ask(text);
    expect(await live({ tokens: 150 }, asks("One?"))).toBe("Yes.");
    expect(await live({ tokens: 150 }, asks("Two?"))).toBe("Yes.");
    await expect(live({ tokens: 150 }, asks("Three?"))).rejects.toMatchObject({ failure: "BUDGET_REACHED" });
    await live({ tokens: 150 }, async (system) => {
      const thread = await system.open("t");
      expect(thread.view()).toMatchObject({ halted: true, lastFailure: { code: "BUDGET_REACHED" } });
      expect(await thread.usage({ tree: true })).toMatchObject({ inputTokens: 160, outputTokens: 40 });
    });
    expect(await live({ tokens: 350 }, asks("And now?"))).toBe("Yes.");
  });

  it("of zero lets no request out", async () => {
    const model = answers();
    const thread = await (await start({ model, budget: { tokens: 0 } })).open("t");
    await expect(thread.ask("Hello?")).rejects.toThrow(/Raise the budget, then write to go on/);
    expect(model.requests).toEqual([]);
    expect(await thread.atRest()).toBe("idle");
  });

  it("is of cost where prices are known, cached tokens at their own", async () => {
    const model = answers();
    const id = `${model.provider}/${model.modelId}`;
    const system = await start({ model, prices: { [id]: { input: 5, output: 50 } }, budget: { cost: 0.0014 } });
    const thread = await system.open("t");
    await thread.ask("One?");
    expect((await thread.usage()).cost).toBeCloseTo(0.0014, 10);
    expect(thread.view().lastFailure).toMatchObject({ code: "BUDGET_REACHED" });
  });

  it("may be another for each tree, and is asked for at the start of each slice", async () => {
    let tokens = 50;
    const system = await start({
      model: answers(),
      threadConfig: ({ root }) => (root === "a" ? { budget: { tokens } } : {}),
    });
    const [a, b] = [await system.open("a"), await system.open("b")];
    await a.ask("One?");
    await expect(a.ask("Two?")).rejects.toMatchObject({ failure: "BUDGET_REACHED" });
    for (const text of ["One?", "Two?", "Three?"]) expect(await b.ask(text)).toBe("Yes.");
    tokens = 500;
    expect(await a.ask("And now?")).toBe("Yes.");
  });

  it.each([
    ["no object", { budget: 5 }, /^Option budget: takes an object/],
    ["an unknown part", { budget: { rounds: 5 } }, /has no rounds; there are tokens and cost/],
    ["a part that is no number", { budget: { tokens: -1 } }, /has tokens: -1; it takes a number from 0/],
    ["a cost without a price", { budget: { cost: 1 } }, /there is no price of .*; name it in prices/],
    [
      "a store that does not count",
      { budget: {}, store: { ...memoryStore(), treeUsage: undefined } },
      /has no treeUsage/,
    ],
    ["a price that is none", { prices: { a: { input: 1 } } }, /^Option prices\["a"\]: takes { input, output/],
  ])("is refused with what would work: %s", async (_, options, said) => {
    const refusal = createSystem({ model: answers(), logger: silentLogger, ...options } as never as SystemOptions);
    await expect(refusal).rejects.toThrow(OptionError);
    await expect(refusal).rejects.toThrow(said);
  });
});

describe("whatever a tree does", () => {
  const noted = defineTool({
    name: "note",
    description: "Notes.",
    inputSchema: { type: "object" },
    inline: () => "noted",
  });
  /** What the next rounds do, whichever thread they are of. */
  const round = fc.record({
    does: fc.constantFrom("says", "spawns", "notes", "spawns twice"),
    tokens: fc.integer({ min: 0, max: 300 }),
  });
  const spawn = (id: string) => ({ id, name: "spawn_thread", args: { instructions: "Look into it." } });

  it("its budget is exceeded by no more than one round of each thread, and all of it is halted then", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(round, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 800 }),
        async (rounds, tokens) => {
          const left = [...rounds];
          const model = scriptedModel(
            () => {
              const { does, tokens: total_tokens } = left.shift() ?? { does: "says", tokens: 1 };
              const counted = { usage: { total_tokens } };
              if (does === "says") return { text: "Done.", ...counted };
              if (does === "notes") return { calls: [{ id: "n", name: "note", args: { n: left.length } }], ...counted };
              return { calls: [spawn("a"), ...(does === "spawns" ? [] : [spawn("b")])], ...counted };
            },
            { keep: 0 },
          );
          const store = memoryStore();
          const system = await start({ model, store, tools: [noted], budget: { tokens } });
          const thread = await system.open("t");
          await thread.send("Go.");
          await thread.atRest({ tree: true });
          const facts = await factsOf(store);
          let spent = 0;
          const beyond = new Map<string, number>();
          for (const fact of facts) {
            if (fact.type !== "round.ended") continue;
            if (spent >= tokens) beyond.set(fact.threadId, (beyond.get(fact.threadId) ?? 0) + 1);
            spent += (fact.usage?.inputTokens ?? 0) + (fact.usage?.outputTokens ?? 0);
          }
          for (const [, count] of beyond) expect(count).toBeLessThanOrEqual(1);
          const { inputTokens, outputTokens } = await thread.usage({ tree: true });
          expect(inputTokens + outputTokens).toBe(spent);
          const reached = spent >= tokens;
          for (const { threadId } of await store.threads()) {
            const record = (await store.load(threadId))?.record;
            expect([threadId, record?.halted]).toEqual([threadId, reached]);
            if (reached) expect(record?.lastFailure?.code).toBe("BUDGET_REACHED");
          }
          await system.stop();
        },
      ),
      { numRuns: 60 },
    ));
});
