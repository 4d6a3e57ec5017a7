import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createSystem, defineTool, silentLogger } from "wakeful";
import { z } from "zod";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import type { Store } from "../../src/store/store.ts";

/** What a model says before it calls a tool, in the pieces in which it streams. */
export const pieces =
  "I will look at this place first , since the last result says that there is more to find , and then I go on with the next one and tell you what I saw ."
    .split(" ")
    .map((word) => ({ text: `${word} ` }));

export interface TripModel {
  readonly model: LanguageModelV4;
  /** The clock at each request, µs. */
  readonly asked: readonly number[];
  /** Resolves with the last request. */
  readonly over: Promise<void>;
}

/** Calls `look` `trips` times, each time with arguments of its own, then says that it is done. */
export const tripModel = (trips: number, clock: () => number, { talks = true } = {}): TripModel => {
  const asked: number[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const script = () => {
    asked.push(clock());
    if (asked.length > trips) {
      resolve();
      return { text: "done" };
    }
    const call = { id: `c${asked.length}`, name: "look", args: { at: asked.length } };
    return talks ? { chunks: [...pieces, { tool_call: call }], end: "final" as const } : { calls: [call] };
  };
  return { model: scriptedModel(script, { keep: 1 }), asked, over };
};

/** Of each round trip: from one request to the next. */
export const costsOf = ({ asked }: Pick<TripModel, "asked">): number[] =>
  asked.slice(1).map((instant, index) => instant - (asked[index] ?? 0));

const look = defineTool({
  name: "look",
  description: "Looks.",
  inputSchema: z.object({ at: z.number() }),
  run: async () => "ok",
});

export interface TripSystem {
  /** A thread of its own, from "go" to rest. */
  run(script: TripModel): Promise<void>;
  /** Closes the store too. */
  stop(): Promise<void>;
}

/**
 * A system that lives through all runs, as one does that serves: its functions are compiled once, as those of a library are
 * that keeps none between calls.
 */
export const tripSystem = async (store: Store): Promise<TripSystem> => {
  let current: LanguageModelV4 | undefined;
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "test",
    supportedUrls: {},
    doStream: (options) => running().doStream(options),
    doGenerate: (options) => running().doGenerate(options),
  };
  const running = (): LanguageModelV4 => {
    if (!current) throw new Error("Nothing was to run, and a model was asked.");
    return current;
  };
  const system = await createSystem({
    model,
    store,
    tools: [look],
    limits: { rounds: 10_000 },
    logger: silentLogger,
  });
  let threads = 0;
  return {
    async run(script) {
      current = script.model;
      const thread = await system.open(`bench-${++threads}`);
      await thread.send("go");
      await script.over;
      await thread.atRest();
    },
    async stop() {
      await system.stop();
      await store.close();
    },
  };
};
