import { sqliteStore } from "wakeful/sqlite";
import { inFolder } from "./folder.ts";
import { install, isInstalled } from "./langgraph/install.ts";
import { interleaved, mean, median, print, threadTime } from "./measure.ts";
import { costsOf, pieces, tripModel, tripSystem } from "./trips.ts";

const bench = "round trip on SQLite at NORMAL against LangGraph.js with its SQLite saver";
const trips = 200;
const said = pieces.map(({ text }) => text).join("");

/** The same round trips. Installs LangGraph.js when it was asked for by name; without that it is skipped where it is not there. */
export const langGraph = async ({ byName }: { readonly byName: boolean }): Promise<boolean> => {
  if (!isInstalled()) {
    if (!byName) {
      console.log(
        JSON.stringify({ bench, skipped: "LangGraph.js is not installed: `npm run bench langgraph` does it" }),
      );
      return true;
    }
    install();
  }
  const { graphOn } = await import("./langgraph/agent.ts");
  return inFolder(async (file) => {
    const system = await tripSystem(sqliteStore(file(), { synchronous: "normal" }));
    const graph = graphOn(file(), "normal");
    const of = await interleaved(
      {
        langgraph: async () => mean(costsOf({ asked: await graph.run({ trips, clock: threadTime, said }) })),
        wakeful: async () => {
          const script = tripModel(trips, threadTime);
          await system.run(script);
          return mean(costsOf(script));
        },
      },
      5,
    );
    graph.close();
    await system.stop();
    return print({
      bench,
      ratio: median(of.wakeful) / median(of.langgraph),
      atMost: 0.1,
      of,
      unit: "µs of thread time a round trip",
      each: { "round trips": trips },
    });
  });
};
