import { createSystem, defineTool, memoryStore, silentLogger } from "wakeful";
import { z } from "zod";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { bareTrips } from "./bare.ts";
import { interleaved, mean, median, print, threadTime } from "./measure.ts";

/** What a model says before it calls a tool, in the pieces in which it streams. */
const sentence =
  "I will look at this place first , since the last result says that there is more to find , and then I go on with the next one and tell you what I saw ."
    .split(" ")
    .map((word) => ({ text: `${word} ` }));

/** Calls the tool `trips` times, each with arguments of its own, then says that it is done. Notes when it was asked. */
const callsTool = (trips: number, talk: boolean) => {
  const asked: number[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const script = () => {
    asked.push(threadTime());
    if (asked.length > trips) {
      resolve();
      return { text: "done" };
    }
    const call = { id: `c${asked.length}`, name: "look", args: { at: asked.length } };
    return talk ? { chunks: [...sentence, { tool_call: call }], end: "final" as const } : { calls: [call] };
  };
  return { model: scriptedModel(script, { keep: 1 }), asked, over };
};

/** µs of each round trip: from one request to the next. */
const costsOf = (asked: readonly number[]): number[] =>
  asked.slice(1).map((instant, index) => instant - (asked[index] ?? 0));

const bare = async (trips: number, talk: boolean): Promise<number[]> => {
  const { model, asked } = callsTool(trips, talk);
  await bareTrips(model);
  return costsOf(asked);
};

const look = defineTool({
  name: "look",
  description: "Looks.",
  inputSchema: z.object({ at: z.number() }),
  run: async () => "ok",
});

const wakeful = async (trips: number, talk: boolean): Promise<number[]> => {
  const { model, asked, over } = callsTool(trips, talk);
  const limits = { rounds: trips + 10 };
  const system = await createSystem({ model, store: memoryStore(), tools: [look], limits, logger: silentLogger });
  const thread = await system.open("bench");
  await thread.send("go");
  await over;
  await thread.atRest();
  await system.stop();
  return costsOf(asked);
};

const trips = 400;

const against = async (talk: boolean) => {
  const of = await interleaved(
    { bare: async () => mean(await bare(trips, talk)), wakeful: async () => mean(await wakeful(trips, talk)) },
    11,
  );
  return { ratio: of.wakeful / of.bare, of };
};

/** A round trip (call, dispatch, result, next completion) against the bare machine, in memory. */
export const roundTrip = async (): Promise<boolean> =>
  print({
    bench: "round trip against a bare machine, a turn of 33 words and a call",
    atMost: 5,
    ...(await against(true)),
  });

/** The same with nothing to stream: what the runtime adds is all there is to see. Without a bound. */
export const silentRoundTrip = async (): Promise<boolean> =>
  print({ bench: "round trip against a bare machine, a turn of a call alone", ...(await against(false)) });

/** The same thread with 800 round trips behind it against itself with 50. */
export const flatness = async (): Promise<boolean> => {
  const early: number[] = [];
  const late: number[] = [];
  for (let run = 0; run < 8; run++) {
    globalThis.gc?.();
    const costs = await wakeful(900, true);
    if (run === 0) continue;
    early.push(mean(costs.slice(50, 150)));
    late.push(mean(costs.slice(800, 900)));
  }
  const of = { "after 50": median(early), "after 800": median(late) };
  return print({
    bench: "round trip after 800 against after 50",
    ratio: of["after 800"] / of["after 50"],
    atMost: 1.2,
    of,
  });
};
