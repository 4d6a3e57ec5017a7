import { createSystem, defineTool, memoryStore, silentLogger } from "wakeful";
import { z } from "zod";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { bareTrips } from "./bare.ts";
import { interleaved, median, print } from "./measure.ts";

/** Calls the tool `trips` times, each with arguments of its own, then says that it is done. */
const callsTool = (trips: number, onRequest: () => void = () => {}) => {
  let asked = 0;
  return scriptedModel(() => {
    onRequest();
    asked += 1;
    return asked <= trips ? { calls: [{ id: `c${asked}`, name: "look", args: { at: asked } }] } : { text: "done" };
  });
};

const look = defineTool({
  name: "look",
  description: "Looks.",
  inputSchema: z.object({ at: z.number() }),
  run: async () => "ok",
});

const systemTrips = async (trips: number, onRequest?: () => void): Promise<number> => {
  const model = callsTool(trips, onRequest);
  const limits = { rounds: trips + 10 };
  const system = await createSystem({ model, store: memoryStore(), tools: [look], limits, logger: silentLogger });
  const thread = await system.open("bench");
  const began = performance.now();
  await thread.ask("go");
  const cost = ((performance.now() - began) * 1_000) / trips;
  await system.stop();
  return cost;
};

/** A round trip (call, dispatch, result, next completion) against the bare machine, in memory. */
export const roundTrip = async (): Promise<boolean> => {
  const trips = 300;
  const { bare, wakeful } = await interleaved(
    { bare: () => bareTrips(callsTool(trips), trips), wakeful: () => systemTrips(trips) },
    9,
  );
  return print({ bench: "round trip against a bare machine", ratio: wakeful / bare, atMost: 5, of: { bare, wakeful } });
};

/** The same thread with 800 round trips behind it against itself with 50. */
export const flatness = async (): Promise<boolean> => {
  const early: number[] = [];
  const late: number[] = [];
  for (let run = 0; run < 7; run++) {
    const instants: number[] = [];
    globalThis.gc?.();
    await systemTrips(860, () => instants.push(performance.now()));
    const costs = instants.slice(1).map((instant, index) => (instant - (instants[index] ?? 0)) * 1_000);
    if (run === 0) continue;
    early.push(median(costs.slice(50, 110)));
    late.push(median(costs.slice(800, 860)));
  }
  const of = { "after 50": median(early), "after 800": median(late) };
  return print({
    bench: "round trip after 800 against after 50",
    ratio: of["after 800"] / of["after 50"],
    atMost: 1.2,
    of,
  });
};
