import { afterEach, expect } from "vitest";
import type { PlacedEntry } from "../../../machines/history/entry.ts";
import { faultsOf } from "../../../machines/history/faults.ts";
import { silentLogger } from "../../../src/logger.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { System, SystemOptions, Thread } from "../../../src/system/api.ts";
import { createSystem } from "../../../src/system/create.ts";
import { settle, type VirtualClock, virtualClock } from "../../../src/testing/virtual-clock.ts";
import { anthropic } from "./anthropic.ts";
import type { Format } from "./format.ts";
import { compatible, openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { repliesOf, WireServer } from "./server.ts";

/** Every provider that is tested over a wire. */
export const formats: readonly Format[] = [compatible, openaiChat, openaiResponses, anthropic];

const systems: System[] = [];
const servers: WireServer[] = [];

/** No test leaves a request behind that its provider would have refused. */
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
  const done = servers.splice(0);
  await Promise.all(done.map((server) => server.close()));
  for (const { format, faults } of done) expect(faults, `requests to ${format.name}`).toEqual([]);
});

export const serverOf = async (format: Format): Promise<WireServer> => {
  const server = await new WireServer(format).listen();
  servers.push(server);
  return server;
};

/** A system on a virtual clock whose model is a real provider package before a server on loopback. */
export interface Wired {
  readonly system: System;
  readonly thread: Thread;
  readonly server: WireServer;
  readonly clock: VirtualClock;
  readonly replies: ReturnType<typeof repliesOf>;
}

export interface WiredOptions extends Partial<Omit<SystemOptions, "model" | "clock">> {
  readonly modelId?: string;
  readonly apiKey?: string;
}

export const wired = async (format: Format, options: WiredOptions = {}): Promise<Wired> => {
  const { modelId, apiKey, ...more } = options;
  const server = await serverOf(format);
  const clock = virtualClock(1_000);
  const model = format.model({ url: server.url, ...(modelId && { modelId }), ...(apiKey && { apiKey }) });
  const system = await createSystem({
    model,
    clock,
    store: memoryStore(),
    logger: silentLogger,
    random: () => 0.5,
    builtins: false,
    ...more,
  });
  systems.push(system);
  return { system, thread: await system.open("t"), server, clock, replies: repliesOf(format) };
};

/** Lets the wire work until something is so. What takes longer than this is a fault, not a slow machine. */
export const until = async (isSo: () => boolean, what = "what was waited for"): Promise<void> => {
  const limit = Date.now() + 20_000;
  while (!isSo()) {
    if (Date.now() > limit) throw new Error(`${what} never came about`);
    await settle(1);
  }
};

/** R5: what is stored is well formed. */
export const historyOf = async (thread: Thread): Promise<readonly PlacedEntry[]> => {
  const history = await thread.history();
  const outstanding = thread.view().calls.map(({ callId }) => callId);
  expect(faultsOf(history, outstanding)).toEqual([]);
  return history;
};
