import { afterEach } from "vitest";
import {
  createSystem,
  memoryStore,
  type Store,
  type System,
  type SystemOptions,
  silentLogger,
  type Thread,
} from "../../src/index.ts";
import type { ScriptedRequest } from "../../src/model/scripted/request.ts";
import { type ScriptedReply, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

export const call = (name: string, args: object = {}) => ({ name, args: { ...args } });
export const calls = (...made: ReturnType<typeof call>[]) => ({ calls: made });
export const spawn = (instructions: string, stack: readonly string[] = ["root"]) =>
  call("spawn_thread", { instructions, child_of: stack });

/** Who a request is of, as its prompt says: the innermost thread that was told its id. */
export interface Told {
  /** Undefined for the root. */
  readonly id: string | undefined;
  /** Root first. */
  readonly stack: readonly string[];
  readonly text: string;
  /** The last message of the prompt. */
  readonly last: string;
  /** Its own requests so far, this one included. */
  readonly nth: number;
}

/** A model that answers by thread. A thread that `reply` has nothing for says "ok". */
export const modelOf = (reply: (told: Told, request: ScriptedRequest) => ReturnType<ScriptedReply>) => {
  const asked = new Map<string, number>();
  return scriptedModel(
    (request) => {
      const text = JSON.stringify(request.prompt);
      const id = [...text.matchAll(/Your thread id is ([^ ]+)\. Your full/g)].at(-1)?.[1];
      const stacks = [...text.matchAll(/Your full thread stack, root first, is (\[.*?\])\./g)].at(-1)?.[1];
      const nth = (asked.get(id ?? "") ?? 0) + 1;
      asked.set(id ?? "", nth);
      const stack = stacks ? (JSON.parse(stacks.replaceAll('\\"', '"')) as string[]) : ["root"];
      return reply({ id, stack, text, last: JSON.stringify(request.prompt.at(-1)), nth }, request) ?? "ok";
    },
    { strict: true },
  );
};

export interface Tree {
  readonly system: System;
  readonly root: Thread;
  readonly store: Store;
  readonly clock: ReturnType<typeof virtualClock>;
  readonly model: ReturnType<typeof modelOf>;
}

export const plant = async (
  reply: Parameters<typeof modelOf>[0],
  { store = memoryStore(), ...more }: Partial<SystemOptions> = {},
): Promise<Tree> => {
  const clock = virtualClock();
  const model = modelOf(reply);
  const system = await createSystem({ model, store, clock, logger: silentLogger, ...more });
  systems.push(system);
  return { system, clock, model, store, root: await system.open("root") };
};

/** Every thread of a tree with its state, by id; the root first. */
export const statesOf = async ({ system }: Tree): Promise<Record<string, string>> =>
  Object.fromEntries((await system.threads()).map(({ threadId, state }) => [threadId, state]));

export const childrenOf = async ({ system }: Tree, parent = "root"): Promise<readonly string[]> =>
  (await system.threads({ parent: parent as never })).map(({ threadId }) => threadId);

/** `origin: text` of each result in a thread's own history. */
export const resultsOf = async ({ store }: Tree, thread: string): Promise<readonly string[]> =>
  (await store.history(thread as never)).flatMap(({ entry }) =>
    entry.kind === "result" && entry.content[0]?.type === "text" ? [`${entry.origin}: ${entry.content[0].text}`] : [],
  );

export const eventsOf = async ({ store }: Tree, thread = "root"): Promise<readonly string[]> =>
  (await store.history(thread as never)).flatMap(({ entry }) => (entry.kind === "event" ? [entry.text] : []));

/** Why inputs were discarded, in the order of the feed. */
export const discardsOf = async ({ store }: Tree): Promise<readonly string[]> =>
  (await store.feed({ after: 0, limit: 100_000 })).flatMap((fact) =>
    fact.type === "input.discarded" ? [`${fact.kind} of ${fact.threadId}: ${fact.reason}`] : [],
  );

/** Lets a tree go on until nothing moves. */
export const quiet = async (turns = 30): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await settle();
};
