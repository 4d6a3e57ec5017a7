import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { faultsOf } from "../../machines/history/faults.ts";
import {
  createSystem,
  defineTool,
  type Envelope,
  memoryStore,
  type Store,
  type System,
  type SystemOptions,
  silentLogger,
  textFor,
} from "../../src/index.ts";
import type { ScriptedRequest } from "../../src/model/scripted/request.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const none = z.object({});
const tools = [
  defineTool({ name: "look", description: "Looks.", inputSchema: none, run: async () => "seen" }),
  defineTool({ name: "glance", description: "Glances.", inputSchema: none, inline: () => "glanced" }),
];

/** Calls what the last user text names, and says something to everything else. */
const reply = ({ prompt }: ScriptedRequest) => {
  const last = prompt.at(-1);
  const said = last?.role === "user" ? JSON.stringify(last.content) : "";
  const name = ["look", "glance", "sleep_until_event_or_input"].find((word) => said.includes(word));
  return name === undefined ? "ok" : { calls: [{ id: "c", name, args: {} }] };
};

const ids = ["a", "b"] as const;
type Batch = { readonly envelopes: readonly Envelope[]; readonly worker: number };

/** Texts for two threads, some of them twice, and how they come: in which batch, and to which of three workers. */
const batches: fc.Arbitrary<readonly Batch[]> = fc
  .array(
    fc.record({
      id: fc.constantFrom(...ids),
      word: fc.constantFrom("hello", "look", "glance", "sleep_until_event_or_input"),
      whileBusy: fc.constantFrom("interrupt" as const, "wait" as const),
      times: fc.constantFrom(1, 1, 2),
      ends: fc.boolean(),
      worker: fc.nat(2),
    }),
    { minLength: 1, maxLength: 10 },
  )
  .map((texts) => {
    const found: { envelopes: Envelope[]; worker: number }[] = [];
    let open: Envelope[] = [];
    for (const [index, { id, word, whileBusy, times, ends, worker }] of texts.entries()) {
      const envelope = textFor(id, `${word} ${index}`, { id: `m${index}`, whileBusy }) as Envelope;
      for (let nth = 0; nth < times; nth++) open.push(envelope);
      if (!ends && index < texts.length - 1) continue;
      found.push({ envelopes: open, worker });
      // What was delivered twice comes again with the batch that follows, perhaps to another worker.
      open = times > 1 ? [envelope] : [];
    }
    return found;
  });

const systemOn = (store: Store, options: Partial<SystemOptions>): Promise<System> =>
  createSystem({
    model: scriptedModel(reply, { strict: true, keep: 0 }),
    store,
    tools,
    clock: virtualClock(),
    logger: silentLogger,
    ...options,
  });

const toldOf = async (store: Store) =>
  Object.fromEntries(
    await Promise.all(
      ids.map(async (id) => {
        const told = (await store.history(id as never)).map(({ entry }) => {
          if (entry.kind === "user") return `user ${entry.text}`;
          return entry.kind === "result" ? `result ${entry.name} ${entry.origin}` : entry.kind;
        });
        return [id, told] as const;
      }),
    ),
  );

const usersOf = (told: readonly string[]) => told.filter((line) => line.startsWith("user "));

/** Brings back what is named until nothing is. */
const bringBack = async (workers: readonly System[], wake: readonly string[]): Promise<void> => {
  let turn = 0;
  for (let named = wake; named.length > 0; ) {
    const worker = workers[turn++ % workers.length] as System;
    named = (await worker.slices(named.map((threadId) => ({ threadId })))).wake;
    if (turn > 100) throw new Error(`${named.join(", ")} is never done`);
  }
};

const withStores = async (make: () => Store, run: (stores: readonly [Store, Store]) => Promise<void>) => {
  const stores = [make(), make()] as const;
  try {
    await run(stores);
  } finally {
    for (const store of stores) await store.close();
  }
};

const wellFormed = async (store: Store): Promise<void> => {
  for (const id of ids) {
    const thread = await store.load(id as never);
    expect(faultsOf(await store.history(id as never), thread?.calls.map(({ callId }) => callId) ?? [])).toEqual([]);
    expect(thread?.inbox).toEqual([]);
  }
};

describe.each([
  ["memory", memoryStore],
  ["sqlite", () => sqliteStore(":memory:")],
] as const)("the same envelopes, in whatever batches and to whichever of three workers, on the %s store", (_, make) => {
  it("end in the history that a resident system has, where one batch comes after another (R1, R2, R3, R5)", async () => {
    await fc.assert(
      fc.asyncProperty(batches, (story) =>
        withStores(make, async ([stepped, resident]) => {
          const workers = await Promise.all([1, 2, 3].map(() => systemOn(stepped, { resident: false })));
          const system = await systemOn(resident, {});
          for (const id of ids) await Promise.all([workers[0]?.open(id), system.open(id)]);
          for (const { envelopes, worker } of story) {
            const { wake } = await (workers[worker] as System).slices(envelopes);
            await bringBack(workers, wake);
            await system.deliver(envelopes);
            for (const id of ids) await (await system.thread(id))?.atRest();
            // Tools that run have answered by then, and what follows has been said.
            for (const id of ids)
              while ((await resident.load(id as never))?.calls.some(({ passive }) => !passive))
                await new Promise((resolve) => setImmediate(resolve));
            for (const id of ids) await (await system.thread(id))?.atRest();
          }
          expect(await toldOf(stepped)).toEqual(await toldOf(resident));
          await wellFormed(stepped);
          await Promise.all([...workers, system].map((each) => each.stop()));
        }),
      ),
      { numRuns: 40 },
    );
  }, 120_000);

  it("are each in one history once, in order, where all batches come at the same time (R1, R2, R3, R5, R8)", async () => {
    await fc.assert(
      fc.asyncProperty(batches, (story) =>
        withStores(make, async ([store]) => {
          const workers = await Promise.all([1, 2, 3].map(() => systemOn(store, { resident: false })));
          for (const id of ids) await workers[0]?.open(id);
          const stepped = await Promise.all(
            story.map(({ envelopes, worker }) => (workers[worker] as System).slices(envelopes)),
          );
          await bringBack(workers, [...new Set(stepped.flatMap(({ wake }) => wake))]);
          const accepted = (await store.feed({ after: 0, limit: 10_000 })).flatMap((fact) =>
            fact.type === "input.accepted" && fact.input.kind === "text" ? [{ id: fact.threadId, ...fact.input }] : [],
          );
          const told = await toldOf(store);
          for (const id of ids) {
            const own = accepted.filter((text) => text.id === id).map(({ text }) => `user ${text}`);
            const found = usersOf(told[id] ?? []);
            expect([...found].sort()).toEqual([...own].sort());
            const kept = (whileBusy: string) =>
              accepted.filter((text) => text.whileBusy === whileBusy).map(({ text }) => `user ${text}`);
            for (const kind of ["interrupt", "wait"])
              expect(found.filter((line) => kept(kind).includes(line))).toEqual(
                own.filter((line) => kept(kind).includes(line)),
              );
          }
          const sent = new Set(story.flatMap(({ envelopes }) => envelopes.map(({ dedupId }) => dedupId)));
          expect(accepted).toHaveLength(sent.size);
          await wellFormed(store);
          await Promise.all(workers.map((each) => each.stop()));
        }),
      ),
      { numRuns: 40 },
    );
  }, 120_000);
});
