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
export const costsOf = ({ asked }: TripModel): number[] =>
  asked.slice(1).map((instant, index) => instant - (asked[index] ?? 0));

const look = defineTool({
  name: "look",
  description: "Looks.",
  inputSchema: z.object({ at: z.number() }),
  run: async () => "ok",
});

/** One thread of a system on `store`, from "go" to rest. The store is closed afterwards. */
export const wakefulTrips = async ({ model, over }: TripModel, trips: number, store: Store): Promise<void> => {
  const limits = { rounds: trips + 10 };
  const system = await createSystem({ model, store, tools: [look], limits, logger: silentLogger });
  const thread = await system.open("bench");
  await thread.send("go");
  await over;
  await thread.atRest();
  await system.stop();
  await store.close();
};
