import { generateText, isStepCount, tool } from "ai";
import { memoryStore } from "wakeful";
import { z } from "zod";
import { interleaved, mean, median, print, threadTime } from "./measure.ts";
import { costsOf, tripModel, tripSystem } from "./trips.ts";

const trips = 200;

/** The AI SDK's own loop over the same script, with the same tool. */
const sdk = async (): Promise<number> => {
  const script = tripModel(trips, threadTime);
  const look = tool({ description: "Looks.", inputSchema: z.object({ at: z.number() }), execute: async () => "ok" });
  const { text } = await generateText({
    model: script.model,
    tools: { look },
    prompt: "go",
    stopWhen: isStepCount(trips + 10),
  });
  if (text !== "done") throw new Error(`The loop of the AI SDK ended with ${JSON.stringify(text)}.`);
  return mean(costsOf(script));
};

/** Ours keeps a history and commits each step of it; the loop of the AI SDK keeps its messages while it runs. */
export const generateTextLoop = async (): Promise<boolean> => {
  const system = await tripSystem(memoryStore());
  const wakeful = async (): Promise<number> => {
    const script = tripModel(trips, threadTime);
    await system.run(script);
    return mean(costsOf(script));
  };
  const of = await interleaved({ generateText: sdk, wakeful }, 15);
  await system.stop();
  return print({
    bench: "round trip in memory against the AI SDK's generateText",
    ratio: median(of.wakeful) / median(of.generateText),
    atMost: 0.5,
    of,
    unit: "µs of thread time a round trip",
    each: { "round trips": trips },
  });
};
