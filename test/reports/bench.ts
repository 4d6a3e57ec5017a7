import { afterEach, expect } from "vitest";
import type { PlacedEntry } from "../../machines/history/entry.ts";
import { faultsOf } from "../../machines/history/faults.ts";
import { silentLogger } from "../../src/logger.ts";
import { type Script, type ScriptedModel, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { System, SystemOptions, Thread } from "../../src/system/api.ts";
import { createSystem } from "../../src/system/create.ts";
import { settle, type VirtualClock, virtualClock } from "../../src/testing/virtual-clock.ts";

export { settle } from "../../src/testing/virtual-clock.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

/** A system on a virtual clock, with a strict scripted model and one open thread. */
export interface Bench {
  readonly system: System;
  readonly thread: Thread;
  readonly model: ScriptedModel;
  readonly clock: VirtualClock;
  readonly store: Store;
}

export interface BenchOptions extends Partial<Omit<SystemOptions, "clock" | "store">> {
  readonly clock?: VirtualClock;
  readonly store?: Store;
}

/** Without a script the model is answered by hand. The system is stopped after the test. */
export const benchWith = async (script?: Script, options: BenchOptions = {}): Promise<Bench> => {
  const { clock = virtualClock(1_000), store = memoryStore() } = options;
  const model = scriptedModel({ strict: true, script });
  const system = await createSystem({ model, logger: silentLogger, ...options, store, clock });
  systems.push(system);
  return { system, model, clock, store, thread: await system.open("t") };
};

/** The strict model refused no request, and the stored history is well formed (R5). */
export const expectWellFormed = async ({ thread, model }: Pick<Bench, "thread" | "model">): Promise<void> => {
  expect(model.requests.flatMap(({ refusals }) => refusals)).toEqual([]);
  const outstanding = thread.view().calls.map(({ callId }) => callId);
  expect(faultsOf(await thread.history(), outstanding)).toEqual([]);
};

/** What a promise came to by now: its value, `rejected <name>`, or `pending`. */
export const cameTo = async (promise: Promise<unknown>): Promise<unknown> => {
  let outcome: unknown = "pending";
  promise.then(
    (value) => {
      outcome = value;
    },
    (error: Error) => {
      outcome = `rejected ${error.name}`;
    },
  );
  await settle(30);
  return outcome;
};

/** A history in short: `user go`, `turn`, `result 4`, `event one`. */
export const shown = (history: readonly PlacedEntry[]): string[] =>
  history.map(({ entry }) => {
    if (entry.kind === "user" || entry.kind === "event") return `${entry.kind} ${entry.text}`;
    if (entry.kind !== "result") return entry.kind;
    return `result ${entry.content.map((item) => (item.type === "text" ? item.text : item.mediaType)).join("|")}`;
  });

export const resultsOf = (history: readonly PlacedEntry[]) =>
  history.flatMap(({ entry }) => (entry.kind === "result" ? [entry] : []));
