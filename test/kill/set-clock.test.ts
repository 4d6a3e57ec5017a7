import fc from "fast-check";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { ThreadId } from "../../machines/history/ids.ts";
import { LeaseHeldError } from "../../src/errors.ts";
import { silentLogger } from "../../src/logger.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { SharedStore } from "../../src/store/store.ts";
import type { System } from "../../src/system/api.ts";
import { createSystem } from "../../src/system/create.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import { freshFile, removeFiles } from "./files.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const year = 365 * 24 * hour;
const start = 10 * year;

const closing: (() => Promise<unknown>)[] = [];
const closeAll = async () => {
  for (const close of closing.splice(0).reverse()) await close();
};
afterEach(closeAll);
afterAll(removeFiles);

/** A clock whose hands can be set. What waits for a while waits on, as Node's own timers do: only the time of day is another. */
const wallClock = () => {
  const clock = virtualClock(start);
  let ahead = 0;
  return {
    ...clock,
    now: () => clock.now() + ahead,
    set(by: number) {
      ahead += by;
    },
  };
};
type WallClock = ReturnType<typeof wallClock>;

const open = (file: string): SharedStore => {
  const store = sqliteStore(file, { synchronous: "normal", logger: silentLogger });
  closing.push(() => store.close());
  return store;
};

// Polls of the file are of no interest here, and they are many in a year.
const limits = { pollInterval: year };

const begin = async (file: string, clock: WallClock, script: Script) => {
  const model = scriptedModel(script, { strict: true });
  const store = open(file);
  const system: System = await createSystem({ model, store, clock, limits, logger: silentLogger, random: () => 0.5 });
  closing.push(() => system.stop());
  return { model, store, system, thread: await system.open("t") };
};

const nap = (seconds: number): Script => [{ calls: [{ name: "sleep", args: { seconds } }] }, "awake", "hello"];

/** When the sleeps of the thread were over, by the clock of that moment. */
const awakeAt = async (store: SharedStore): Promise<number[]> =>
  (await store.history("t" as ThreadId)).flatMap(({ entry }) =>
    entry.kind === "result" && entry.origin === "timer" ? [entry.at] : [],
  );

describe("a clock that is set back an hour", () => {
  it("makes a sleep longer, and loses none of it (R9)", async () => {
    const clock = wallClock();
    const { model, store, thread } = await begin(freshFile("a.db"), clock, nap(60));
    await thread.send("go");
    await settle();
    clock.set(-hour);
    await clock.advance(hour);
    expect(thread.state).toBe("idlePassive");
    await clock.advance(minute);
    expect(await awakeAt(store)).toEqual([start + minute]);
    await clock.advance(2 * hour);
    expect(model.requestCount).toBe(2);
  });

  it("changes nothing of how long a request waits to be tried again", async () => {
    const clock = wallClock();
    const failure = { error: "transient", retryAfter: 2 } as const;
    const { model, thread } = await begin(freshFile("a.db"), clock, [failure, "done"]);
    await thread.send("go");
    await settle();
    clock.set(-hour);
    await clock.advance(2 * second);
    expect(await thread.atRest()).toBe("idle");
    expect(model.requestCount).toBe(2);
  });

  it("keeps nobody from a dead system's threads for longer than its lease (R8)", async () => {
    const file = freshFile("a.db");
    const clock = wallClock();
    await open(file).lease("runner", "a process that died", 15 * second, clock.now());
    clock.set(-hour);
    const refused = await begin(file, clock, []).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LeaseHeldError);
    expect((refused as LeaseHeldError).until).toBe(clock.now() + 15 * second);
    await clock.advance(15 * second);
    expect((await begin(file, clock, ["hello"])).thread.state).toBe("idle");
  });
});

describe("a clock that is set forward a year", () => {
  it("lets a sleep end within a minute, once (R2)", async () => {
    const clock = wallClock();
    const { model, store, thread } = await begin(freshFile("a.db"), clock, nap(30 * 24 * 3_600));
    await thread.send("go");
    await settle();
    clock.set(year);
    await clock.advance(minute);
    expect(thread.state).toBe("idle");
    expect(await awakeAt(store)).toHaveLength(1);
    clock.set(-year);
    await clock.advance(hour);
    clock.set(year);
    await clock.advance(hour);
    expect(model.requestCount).toBe(2);
  });

  it("leaves the lease with who has it, from its next renewal on (R8)", async () => {
    const file = freshFile("a.db");
    const clock = wallClock();
    const { thread } = await begin(file, clock, ["hello"]);
    clock.set(year);
    await clock.advance(5 * second);
    await expect(begin(file, clock, [])).rejects.toThrow(LeaseHeldError);
    expect(await thread.ask("are you there?")).toBe("hello");
  });

  it("makes no id new that was seen (R2)", async () => {
    const clock = wallClock();
    const { thread } = await begin(freshFile("a.db"), clock, ["hello", "again"]);
    await thread.ask("go", { id: "one" });
    for (const by of [year, -hour - year]) {
      clock.set(by);
      await clock.advance(minute);
      expect(await thread.send("go", { id: "one" })).toBe(false);
    }
    expect(await thread.ask("go", { id: "two" })).toBe("again");
  });
});

describe("a clock that is set whichever way, however often", () => {
  const step = fc.oneof(
    fc.record({ pass: fc.constantFrom(1, second, 61 * second, hour) }),
    fc.record({ set: fc.constantFrom(-hour, hour, -minute, minute, year, -year) }),
    fc.record({ restart: fc.constant(true) }),
  );

  it("wakes a sleeping thread once, never before the instant that was stored, and not later than it must (R2, R9)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const file = freshFile("any.db");
        const clock = wallClock();
        let { thread, store, system } = await begin(file, clock, nap(90));
        await thread.send("go", { id: "go" });
        await settle();
        const due = clock.now() + 90 * second;
        let requests = 1;
        for (const one of steps) {
          if ("set" in one) clock.set(one.set);
          else if ("pass" in one) await clock.advance(one.pass);
          else {
            await system.stop();
            ({ thread, store, system } = await begin(file, clock, ["awake", "hello"]));
            await settle();
          }
          requests = (await store.history("t" as ThreadId)).filter(({ entry }) => entry.kind === "turn").length;
          const awake = await awakeAt(store);
          expect(awake.length).toBeLessThanOrEqual(1);
          for (const at of awake) expect(at).toBeGreaterThanOrEqual(due);
        }
        if (requests === 1) {
          clock.set(Math.max(0, due - clock.now()));
          await clock.advance(minute);
        }
        expect(await awakeAt(store)).toHaveLength(1);
        expect(await thread.atRest()).toBe("idle");
        await closeAll();
      }),
      { numRuns: 25 },
    );
  });
});
