import { createSystem, memoryStore, type SystemOptions, silentLogger } from "wakeful";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { interleaved, median, print, threadTime } from "./measure.ts";
import { pieces } from "./trips.ts";

const slices = 500;

/** Slices of one round each, one after the other in one thread; µs of thread time each. */
const contestant = async (threadConfig?: SystemOptions["threadConfig"]) => {
  const system = await createSystem({
    model: scriptedModel(() => ({ chunks: pieces, end: "final" }), { keep: 0 }),
    store: memoryStore(),
    logger: silentLogger,
    ...(threadConfig && { threadConfig }),
  });
  let threads = 0;
  return {
    async run(): Promise<number> {
      const thread = await system.open(`bench-${++threads}`);
      const before = threadTime();
      for (let index = 0; index < slices; index++) {
        await thread.send(`message ${index}`);
        await thread.atRest();
      }
      return (threadTime() - before) / slices;
    },
    stop: () => system.stop(),
  };
};

/** A source that gives the same each time, under one version. */
export const unchangedConfiguration = async (): Promise<boolean> => {
  const without = await contestant();
  const config = { instructions: "Be brief.", configVersion: 1 };
  const configured = await contestant(async () => config);
  const of = await interleaved({ without: () => without.run(), configured: () => configured.run() }, 15);
  await Promise.all([without.stop(), configured.stop()]);
  return print({
    bench: "a slice with an unchanged configuration against one without threadConfig",
    ratio: median(of.configured) / median(of.without),
    atMost: 1.05,
    of,
    unit: "µs of thread time a slice",
    each: { slices },
  });
};
