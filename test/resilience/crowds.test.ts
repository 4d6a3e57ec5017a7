import { describe, expect, it } from "vitest";
import type { PlacedEntry } from "../../machines/history/entry.ts";
import type { ThreadId } from "../../machines/history/ids.ts";
import { createSystem, memoryStore, silentLogger } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { commitOf, deliver, recordOf, spec } from "../../src/testing/store/material.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import { failingStore } from "../support/resilience/failing-store.ts";

const minutes = 120_000;

describe("ten thousand threads that all want to begin at once", () => {
  it("are served a few at a time, each once, and a person who writes to another is heard (R1, R2, R6, R8)", {
    timeout: minutes,
  }, async () => {
    const crowd = 10_000;
    const kept = memoryStore();
    const ids = Array.from({ length: crowd }, (_, index) => `t${String(index).padStart(5, "0")}` as ThreadId);
    for (const id of ids) await kept.create(id, spec, 1);
    for (const id of ids) await kept.accept([deliver(id, "go")], { inboxLimit: 10 });
    const { store, calls } = failingStore(kept);
    let open = 0;
    let most = 0;
    const model = scriptedModel(
      async () => {
        most = Math.max(most, ++open);
        await Promise.resolve();
        open--;
        return "done";
      },
      { keep: 0 },
    );
    const clock = virtualClock(1_000_000);
    const system = await createSystem({ model, store, clock, logger: silentLogger });
    const mine = await system.open("mine");
    const answer = mine.ask("am I heard?");
    while (model.requestCount <= crowd) await settle();
    await settle(40);
    expect(await kept.threads({ withWork: true })).toEqual([]);
    expect(await answer).toBe("done");
    expect(model.requestCount).toBe(crowd + 1);
    expect(most).toBeLessThanOrEqual(32);
    const histories = await Promise.all(ids.map((id) => kept.history(id)));
    expect(new Set(histories.map((history) => history.map(({ entry }) => entry.kind).join()))).toEqual(
      new Set(["user,turn"]),
    );
    // Nothing grows with the crowd but the crowd: each is loaded once, and commits as often as one that is alone.
    const count = (method: string) => calls.filter((call) => call.method === method).length;
    expect(count("load")).toBeLessThanOrEqual(crowd + 10);
    expect(count("commit")).toBeLessThanOrEqual(2 * (crowd + 1));
    await system.stop();
  });
});

describe("a thread with a history of 200,000 entries", () => {
  const entries = 200_000;

  const long = async () => {
    const kept = memoryStore();
    const id = "long" as ThreadId;
    await kept.create(id, spec, 1);
    const history = Array.from({ length: entries }, (_, position): PlacedEntry => {
      const at = 1_000;
      if (position % 2 === 0) return { position, entry: { kind: "user", at, text: `text ${position}` } };
      return { position, entry: { kind: "turn", at, parts: [{ type: "text", text: `turn ${position}` }] } };
    });
    const record = recordOf({ nextPosition: entries, turns: entries / 2 });
    await kept.commit(commitOf(id, 0, { entries: history, record }), 1);
    return kept;
  };

  it("is read once, answers, and reads nothing of it again for what follows", { timeout: minutes }, async () => {
    const { store, calls } = failingStore(await long());
    const sizes: number[] = [];
    const model = scriptedModel(
      ({ prompt }) => {
        sizes.push(prompt.length);
        return "here";
      },
      { keep: 0 },
    );
    const system = await createSystem({ model, store, clock: virtualClock(1_000_000), logger: silentLogger });
    const thread = await system.open("long");
    const reads = () => calls.filter(({ method }) => method === "history" || method === "rows").length;
    expect(reads()).toBe(0);
    expect(await thread.ask("still there?")).toBe("here");
    expect(sizes.at(-1)).toBeGreaterThan(entries);
    const before = reads();
    expect(before).toBeLessThanOrEqual(2);
    for (const text of ["one", "two", "three"]) expect(await thread.ask(text)).toBe("here");
    expect(reads()).toBe(before);
    expect((await thread.history()).length).toBe(entries + 8);
    await system.stop();
  });

  it("keeps no other thread from its answer (R8)", { timeout: minutes }, async () => {
    const model = scriptedModel(() => "here", { keep: 0 });
    const clock = virtualClock(1_000_000);
    const system = await createSystem({ model, store: await long(), clock, logger: silentLogger });
    const [large, small] = [await system.open("long"), await system.open("small")];
    const answers = await Promise.all([large.ask("you?"), small.ask("and you?")]);
    expect(answers).toEqual(["here", "here"]);
    await system.stop();
  });
});
