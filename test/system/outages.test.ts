import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSystem,
  OptionError,
  type Store,
  type SystemOptions,
  silentLogger,
  ThreadFailedError,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { settle, type VirtualClock, virtualClock } from "../../src/testing/virtual-clock.ts";

const hour = 3_600_000;

/** A provider that is out until `until`, ms since the epoch. */
const provider = (clock: VirtualClock, until: number) => {
  const asked: number[] = [];
  const model = scriptedModel(
    () => {
      asked.push(clock.now());
      return clock.now() < until ? ({ error: "transient" } as const) : "Here I am.";
    },
    { keep: 0 },
  );
  return { model, asked };
};

describe("an outage of a day", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "wakeful-outage-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const start = (store: Store, clock: VirtualClock, model: SystemOptions["model"]) =>
    createSystem({
      model,
      store,
      clock,
      logger: silentLogger,
      random: () => 0,
      onModelFailure: { retryAfter: () => hour },
      // Nobody else writes to the store, or wants it.
      limits: { pollInterval: 100 * hour, lease: 100 * hour },
    });

  it("passes over restarts without loss or busy work, and what was asked is answered (R1, R9)", async () => {
    const clock = virtualClock(1_000_000);
    const { model, asked } = provider(clock, 1_000_000 + 24 * hour);
    for (let part = 0; part < 4; part++) {
      const store = sqliteStore(join(folder, "a.db"), { synchronous: "normal" });
      const system = await start(store, clock, model);
      const thread = await system.open("t");
      if (part === 0) await thread.send("Are you there?");
      await settle(20);
      await clock.advance(7 * hour);
      if (part === 3) {
        const { lastFailure, retry } = thread.view();
        expect({ lastFailure, retry }).toEqual({ lastFailure: null, retry: null });
        const entries = (await thread.history()).map(({ entry }) => entry.kind);
        expect(entries).toEqual(["user", "turn"]);
      } else expect(thread.view()).toMatchObject({ state: "idle", retry: { attempt: 1 } });
      await system.stop();
      await store.close();
    }
    // At most 11 tries each hour, and one that was answered.
    expect(asked.length).toBeGreaterThan(24);
    expect(asked.length).toBeLessThanOrEqual(11 * 25 + 1);
  });

  it("ends at once for who writes: the model is asked without waiting for the timer (R6)", async () => {
    const clock = virtualClock(1_000_000);
    const { model, asked } = provider(clock, 1_000_000 + hour / 2);
    const store = sqliteStore(join(folder, "a.db"), { synchronous: "normal" });
    const system = await start(store, clock, model);
    const thread = await system.open("t");
    await thread.send("Are you there?");
    await clock.advance(hour / 2);
    expect(thread.view().retry).not.toBeNull();
    expect(await thread.ask("And now?")).toBe("Here I am.");
    expect(asked.at(-1)).toBe(clock.now());
    await system.stop();
    await store.close();
  });
});

describe("what is said of failures of the model", () => {
  const options = (onModelFailure: unknown): SystemOptions =>
    ({ model: scriptedModel(() => "ok"), logger: silentLogger, onModelFailure }) as unknown as SystemOptions;

  it.each([
    ["a word that is none", "again", /onModelFailure: is "again"; it takes "rest", or/],
    ["nothing", null, /onModelFailure: is null; it takes/],
    ["a number", { retryAfter: 5 }, /onModelFailure: is {"retryAfter":5}; it takes/],
    ["a wait that is none", { retryAfter: [1, 0] }, /onModelFailure.retryAfter\[1\]: is 0; it takes a positive/],
  ])("is refused with what would work: %s", async (_, given, said) => {
    const refusal = createSystem(options(given));
    await expect(refusal).rejects.toThrow(OptionError);
    await expect(refusal).rejects.toThrow(said);
  });

  it.each([
    ["throws", () => JSON.parse("no")],
    ["answers with what is no wait", () => -1],
  ])("lets the thread rest, with a word in the log, when the function %s", async (_, retryAfter) => {
    const lines: string[] = [];
    const system = await createSystem({
      model: scriptedModel(() => ({ error: "fatal", status: 401 })),
      logger: { ...silentLogger, error: (_fields, message) => void lines.push(message) },
      onModelFailure: { retryAfter },
    });
    const thread = await system.open("t");
    await expect(thread.ask("Hello?")).rejects.toThrow(ThreadFailedError);
    expect(thread.view()).toMatchObject({ state: "idle", retry: null, lastFailure: { code: "MODEL_FAILED" } });
    expect(lines).toEqual([expect.stringMatching(/^onModelFailure\.retryAfter/)]);
    await system.stop();
  });
});
