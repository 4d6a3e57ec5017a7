import { Command, InvalidArgumentError, Option } from "commander";
import type { Io } from "../io.ts";
import { seedsOf } from "./seeds.ts";
import { runSimulation } from "./simulate.ts";

const help = `
Each seed tells a story: people write, tools answer well, badly, late and twice, sources send events, children report,
timers ring, the store fails, processes end in the middle of everything. Time is virtual. After each story the rules R1 to
R9 are held against what was sent, acknowledged and seen from outside. The first story that breaks one ends the
simulation: it is shortened and printed.

Examples:
  $ wakeful simulate --seeds 1..10000 --crashes
  $ wakeful simulate --seeds 1..1000 --crashes --store sqlite
  $ wakeful simulate --seeds 4711 --crashes          one story again
  $ wakeful simulate --seeds 1..1000000 --minutes 10

Exit codes:
  0  no rule is broken
  1  a rule is broken
  2  a mistake in the command line, or output that cannot be written`;

interface Flags {
  readonly seeds: string;
  readonly crashes?: boolean;
  readonly store: "memory" | "sqlite";
  readonly minutes?: number;
  readonly json?: boolean;
}

const minutesOf = (text: string): number => {
  const minutes = Number(text);
  if (text.trim() === "" || !Number.isFinite(minutes) || minutes <= 0)
    throw new InvalidArgumentError("It takes a positive number.");
  return minutes;
};

/** `done` takes the exit code. */
export const simulateCommand = (io: Io, done: (code: number) => void): Command =>
  new Command("simulate")
    .description("Try to break the rules: random stories on a whole system, under virtual time.")
    .option("--seeds <RANGE>", "one story for each", "1..1000")
    .option("--crashes", "let processes end in the middle of everything")
    .addOption(new Option("--store <STORE>", "where threads are kept").choices(["memory", "sqlite"]).default("memory"))
    .option("--minutes <N>", "begin no story after so many minutes", minutesOf)
    .option("--json", "print one JSON object, and nothing else")
    .addHelpText("after", help)
    .action(async ({ seeds, crashes = false, store, minutes, json = false }: Flags) =>
      done(await runSimulation({ seeds: seedsOf(seeds), crashes, store, minutes, json }, io)),
    );
