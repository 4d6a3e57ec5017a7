import { simulate } from "../../testing/simulation/simulate.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { jsonText, outputOf } from "../output.ts";
import { paintFor } from "../run/paint.ts";
import { reportLines } from "./report.ts";
import type { Seeds } from "./seeds.ts";

export interface SimulateFlags {
  readonly seeds: Seeds;
  readonly crashes: boolean;
  readonly store: "memory" | "sqlite";
  readonly minutes: number | undefined;
  readonly json: boolean;
}

const commandOf = (seed: number, { crashes, store }: SimulateFlags): string =>
  ["wakeful simulate --seeds", seed, crashes && "--crashes", store === "sqlite" && "--store sqlite"]
    .filter(Boolean)
    .join(" ");

/** Stories between two looks of a person who waits. */
const portion = 20;

/** Plays the stories and prints what they came to. Resolves to the exit code. */
export const runSimulation = async (flags: SimulateFlags, io: Io): Promise<number> => {
  const { seeds, crashes, store, minutes, json } = flags;
  const output = outputOf(io);
  const isWatched = io.stderr.isTTY === true && !json;
  const all = seeds.to - seeds.from + 1;
  const report = await simulate({
    seeds,
    crashes,
    store,
    ...(minutes !== undefined && { limit: minutes * 60_000 }),
    onStory: ({ stories, crashes: died }) => {
      if (isWatched && (stories % portion === 0 || stories === all))
        io.stderr.write(`\r${stories} of ${all} stories, ${died} crashes`);
    },
  });
  if (isWatched) io.stderr.write("\r\u001b[K");
  const again = (seed: number) => commandOf(seed, flags);
  const lines = json ? [jsonText(report)] : reportLines(report, again, paintFor(io));
  await output.write(`${lines.join("\n")}\n`);
  return output.code(report.failure ? exitCodes.failed : exitCodes.done);
};
