import { describe, expect, it } from "vitest";
import type { ThreadId } from "../../../machines/history/ids.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { CommitOutcome, Store } from "../../../src/store/store.ts";
import { createActivity, incarnate } from "../../../src/testing/scenarios/incarnation.ts";
import { settle, virtualClock } from "../../../src/testing/virtual-clock.ts";
import { opened, opening } from "../../support/scenarios/opened.ts";

const spec = { tools: [], instructions: "", metadata: {} };
const id = "t1" as ThreadId;

const life = (store: Store = memoryStore()) => {
  const clock = virtualClock();
  const activity = createActivity();
  return { store, clock, activity, ...incarnateAs(store, clock, activity) };
};
const incarnateAs = (...[store, clock, activity]: Parameters<typeof incarnate>) => {
  const incarnation = incarnate(store, clock, activity);
  return { incarnation, guarded: incarnation.store };
};

/** What became of a promise, once everything that can go on has. */
const fate = async (promise: Promise<unknown>): Promise<string> => {
  let told = "open";
  promise.then(
    () => {
      told = "resolved";
    },
    () => {
      told = "rejected";
    },
  );
  await settle();
  return told;
};

describe("a life of a system", () => {
  it("passes everything on to the store, and holds back what could begin work until it is opened", async () => {
    const { incarnation, guarded, store } = life();
    expect(await guarded.create(id, spec, 0)).toBe(true);
    expect(await store.load(id)).toBeDefined();
    const history = guarded.history(id);
    expect(await fate(history)).toBe("open");
    incarnation.open();
    expect(await history).toEqual([]);
  });

  it("counts operations that are under way, and those that fail", async () => {
    const failing = { ...memoryStore(), load: () => Promise.reject(new Error("no disk")) };
    const { guarded, activity } = life(failing);
    const loading = guarded.load(id);
    expect(activity.underway).toBe(1);
    await expect(loading).rejects.toThrow("no disk");
    expect([activity.underway, activity.beats]).toEqual([0, 2]);
  });

  it("begins nothing after a crash, and sets no timer", async () => {
    const { incarnation, guarded, store, clock } = life();
    incarnation.crash();
    expect(await fate(guarded.create(id, spec, 0))).toBe("open");
    expect(await store.load(id)).toBeUndefined();
    incarnation.clock.setTimeout(() => {}, 5);
    expect(clock.due).toEqual([]);
  });

  it("never hears of what was under way when it crashed, whether it worked or not", async () => {
    const opening = Promise.withResolvers<boolean>();
    const closing = Promise.withResolvers<boolean>();
    const answers = [opening.promise, closing.promise];
    const slow = { ...memoryStore(), create: () => answers.shift() as Promise<boolean> };
    const { incarnation, guarded, activity } = life(slow);
    const fates = [guarded.create(id, spec, 0), guarded.create(id, spec, 0)].map(fate);
    incarnation.crash();
    opening.resolve(true);
    closing.reject(new Error("late"));
    expect(await Promise.all(fates)).toEqual(["open", "open"]);
    expect(activity.underway).toBe(0);
  });

  it("takes its timers with it, and leaves those of others", async () => {
    const { incarnation, clock } = life();
    const called: string[] = [];
    incarnation.clock.setTimeout(() => called.push("of the dead"), 5);
    clock.setTimeout(() => called.push("of the world"), 5);
    incarnation.crash();
    await clock.advance(5);
    expect(called).toEqual(["of the world"]);
  });

  it("leaves what it held back undone when it crashes before it was opened", async () => {
    const { incarnation, guarded } = life();
    const history = guarded.history(id);
    incarnation.crash();
    incarnation.open();
    expect(await fate(history)).toBe("open");
  });
});

describe("a thread that a life creates", () => {
  const family = async () => {
    const { store, clock, activity } = life();
    const heard: string[] = [];
    await store.create(id, spec, 0);
    const incarnation = incarnate(store, clock, activity, (threads) =>
      heard.push(...threads.map(({ threadId }) => threadId)),
    );
    incarnation.open();
    return { heard, incarnation, guarded: incarnation.store };
  };
  const child = "c.1" as ThreadId;

  it("is told of before its parent goes on, and held back until it is let go", async () => {
    const { heard, incarnation, guarded } = await family();
    await guarded.commit(opening("t1", [opened(child)]), 0).then(() => expect(heard).toEqual([child]));
    const [history, marking] = [guarded.history(child), guarded.mark(child, [], "started")];
    const committing = guarded.commit(opening(child, []), 0);
    expect(await Promise.all([history, marking, committing].map(fate))).toEqual(["open", "open", "open"]);
    expect(await guarded.history(id)).toEqual([]);
    incarnation.letGo(child);
    expect(await Promise.all([history, marking, committing].map(fate))).toEqual(["resolved", "resolved", "resolved"]);
    expect(await fate(guarded.history(child))).toBe("resolved");
  });

  it("is not told of where the commit was stale, or opened none", async () => {
    const { heard, guarded } = await family();
    await guarded.commit(opening("t1", []), 0);
    expect((await guarded.commit(opening("t1", [opened(child)]), 0)).status).toBe("stale");
    expect(heard).toEqual([]);
  });

  it("is told of also when the process died before it heard that the commit was durable", async () => {
    const committed = Promise.withResolvers<CommitOutcome>();
    const heard: string[] = [];
    const incarnation = incarnate(
      { ...memoryStore(), commit: () => committed.promise },
      virtualClock(),
      createActivity(),
      (threads) => heard.push(...threads.map(({ threadId }) => threadId)),
    );
    incarnation.open();
    const committing = incarnation.store.commit(opening("t1", [opened(child)]), 0);
    await settle();
    incarnation.crash();
    expect(heard).toEqual([]);
    committed.resolve({ status: "committed", version: 1, feed: 1, sent: [] });
    expect(await fate(committing)).toBe("open");
    expect(heard).toEqual([child]);
  });

  it("does nothing any more once the life that created it has crashed", async () => {
    const { incarnation, guarded } = await family();
    await guarded.commit(opening("t1", [opened(child)]), 0);
    const history = guarded.history(child);
    incarnation.crash();
    incarnation.letGo(child);
    expect(await fate(history)).toBe("open");
  });
});
