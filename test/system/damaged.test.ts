import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsOf, type PlacedEntry } from "../../machines/history/entry.ts";
import { faultsOf } from "../../machines/history/faults.ts";
import type { CallId, ThreadId } from "../../machines/history/ids.ts";
import { createSystem, memoryStore, type Store, silentLogger } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { commitOf, recordOf, spec } from "../../src/testing/store/material.ts";
import { virtualClock } from "../../src/testing/virtual-clock.ts";
import { freshFile } from "../cli/show/wakeful.ts";
import { breaks } from "../support/history/breaks.ts";
import { anyStoredHistory, type StoredHistory } from "../support/history/histories.ts";

const t1 = "t1" as ThreadId;

const endOf = (entries: readonly PlacedEntry[]): number =>
  Math.max(
    0,
    ...entries.map(({ position, entry }) => position + 1 + (entry.kind === "turn" ? callsOf(entry).length : 0)),
  );

/** What a store has of a thread whose record is of `whole`, and whose history was broken since. */
const keep = async (store: Store, whole: StoredHistory, broken: StoredHistory): Promise<readonly PlacedEntry[]> => {
  const calls = whole.entries.flatMap(({ position, entry }) =>
    entry.kind === "turn"
      ? callsOf(entry).map((call, index) => ({
          callId: call.callId,
          providerCallId: call.providerCallId,
          name: call.name,
          args: {},
          position: position + 1 + index,
          form: "dispatch" as const,
          passive: false,
          onRestart: "fail" as const,
          status: "acknowledged" as const,
        }))
      : [],
  );
  const made = calls.filter(({ callId }) => whole.outstanding.includes(callId));
  const entries = [...new Map(broken.entries.map((placed) => [placed.position, placed])).values()];
  await store.create(t1, spec, 1);
  await store.commit(
    commitOf(t1, 0, {
      entries,
      calls: { made, settled: [] },
      record: recordOf({
        nextPosition: endOf(whole.entries),
        state: made.length > 0 ? "awaitingActiveCall" : "idle",
      }),
    }),
    1_000,
  );
  return entries;
};

/** Loads the thread for a text, and answers with what its model was asked and what the store has afterwards. */
const goOn = async (store: Store) => {
  const model = scriptedModel(() => "well", { strict: true });
  const system = await createSystem({ model, store, clock: virtualClock(2_000), logger: silentLogger });
  const thread = await system.open("t1");
  expect(await thread.ask("go on")).toBe("well");
  const facts = await store.feed({ after: 0, limit: 10_000 });
  const loaded = await store.load(t1);
  const history = await store.history(t1);
  await system.stop();
  expect(
    faultsOf(
      history,
      (loaded?.calls ?? []).map(({ callId }) => callId),
    ),
  ).toEqual([]);
  expect(model.requests.flatMap(({ refusals }) => refusals)).toEqual([]);
  return {
    prompt: JSON.stringify(model.requests.at(-1)?.prompt),
    history,
    repaired: facts.find(({ type }) => type === "history.repaired"),
  };
};

const anyBreaks = fc.array(fc.tuple(fc.constantFrom(...breaks), fc.nat()), { minLength: 1, maxLength: 3 });
const brokenBy = (
  whole: StoredHistory,
  given: readonly (readonly [(typeof breaks)[number], number])[],
): StoredHistory => given.reduce((history, [{ break: one }, choice]) => one(history, choice) ?? history, whole);

describe("a thread whose stored history was damaged", () => {
  it.each([
    ["memory", () => ({ store: memoryStore() as Store, end: () => {} })],
    [
      "SQLite",
      () => {
        const file = freshFile();
        return { store: sqliteStore(file, { synchronous: "normal" }) as Store, end: () => rmSync(file) };
      },
    ],
  ] as const)(
    "is mended before it is asked about anything (R5), whatever was broken, in %s",
    { timeout: 120_000 },
    async (_, make) => {
      await fc.assert(
        fc.asyncProperty(anyStoredHistory, anyBreaks, async (whole, given) => {
          const { store, end } = make();
          const entries = await keep(store, whole, brokenBy(whole, given));
          const { history, repaired } = await goOn(store);
          const texts = history.flatMap(({ entry }) => (entry.kind === "user" ? [entry.text] : []));
          for (const { entry } of entries)
            if (entry.kind === "user" && entry.text.trim() !== "") expect(texts).toContain(entry.text);
          if (repaired) {
            const aside = (await store.setAside?.(t1)) ?? [];
            const before = entries.map(({ position, entry }) => `${position} ${JSON.stringify(entry)}`);
            for (const { position, stored } of aside) expect(before).toContain(`${position} ${stored}`);
            // Whatever does not stand there as it was can be read as it was.
            const kept = new Set(aside.map(({ position, stored }) => `${position} ${stored}`));
            for (const placed of entries)
              if (!kept.has(`${placed.position} ${JSON.stringify(placed.entry)}`))
                expect(history).toContainEqual(placed);
            // Nothing is left to mend.
            const again = await goOnAgain(store);
            expect(again).toBe(1);
          }
          await store.close();
          end();
        }),
        { numRuns: 40 },
      );
    },
  );

  /** How many repairs there are after the next life has worked with the thread. */
  const goOnAgain = async (store: Store): Promise<number> => {
    const system = await createSystem({
      model: scriptedModel(() => "again", { strict: true }),
      store,
      clock: virtualClock(3_000),
      logger: silentLogger,
    });
    await (await system.open("t1")).ask("and on");
    await system.stop();
    return (await store.feed({ after: 0, limit: 10_000 })).filter(({ type }) => type === "history.repaired").length;
  };

  const user = (position: number, text: string): PlacedEntry => ({ position, entry: { kind: "user", at: 1, text } });
  const turn = (position: number, text: string, callId?: CallId): PlacedEntry => ({
    position,
    entry: {
      kind: "turn",
      at: 2,
      parts: [
        { type: "text", text },
        ...(callId ? [{ type: "call" as const, callId, providerCallId: "c", name: "look", args: {} }] : []),
      ],
    },
  });
  const whole: StoredHistory = {
    entries: [user(0, "first words"), turn(1, "an answer"), user(2, "second words"), turn(3, "ok")],
    outstanding: [],
  };

  it("keeps what can be read of a row that is no entry, and the row as it was", async () => {
    const file = freshFile();
    const store = sqliteStore(file, { synchronous: "normal" });
    await keep(store, whole, whole);
    const database = new DatabaseSync(file);
    database.exec(`UPDATE entry SET body = '{"kind":"user","at":1,"text":"first wor' WHERE position = 0`);
    database.exec(`UPDATE entry SET body = 'garbage' WHERE position = 3`);
    database.close();
    expect((await store.history(t1)).map(({ position }) => position)).toEqual([0, 1, 2]);
    const { prompt, repaired } = await goOn(store);
    expect(prompt).toContain("first wor");
    expect(prompt).toContain("second words");
    expect(repaired).toMatchObject({
      repairs: expect.arrayContaining([expect.objectContaining({ kind: "unreadable-entry", position: 0 })]),
    });
    expect(await store.setAside?.(t1)).toEqual([
      { position: 0, at: 2_000, stored: '{"kind":"user","at":1,"text":"first wor' },
      { position: 3, at: 2_000, stored: "garbage" },
    ]);
    await store.close();
  });

  it("settles a call that the record waits for and the history does not have", async () => {
    const store = memoryStore();
    const open: StoredHistory = {
      entries: [user(0, "go"), turn(1, "calling", "t1#1.0" as CallId)],
      outstanding: ["t1#1.0" as CallId],
    };
    await keep(store, open, { ...open, entries: [user(0, "go")] });
    const { prompt } = await goOn(store);
    expect(prompt).toContain("lost here");
    expect((await store.load(t1))?.calls).toEqual([]);
  });
});
