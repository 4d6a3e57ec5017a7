import { readFile } from "node:fs/promises";
import { OptionError, ScenarioFileError } from "../../errors.ts";
import { memoryStore } from "../../store/memory/memory-store.ts";
import { playScenario, type ScenarioReport } from "../../testing/scenarios/player.ts";
import { readScenarios } from "../../testing/scenarios/read.ts";
import { countsOf, reportLines, summaryLine, type Tint } from "../../testing/scenarios/report.ts";
import type { Scenario } from "../../testing/scenarios/schema.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { paintFor } from "../run/paint.ts";

export interface PlayFlags {
  readonly json: boolean;
  /** Ids; empty: all. One value may hold several, separated by commas. */
  readonly only: readonly string[];
  readonly store: "memory" | "sqlite";
}

/** Each scenario has a store of its own; the database is in memory, and outlives the systems of its scenario. */
const stores = {
  memory: memoryStore,
  sqlite: async () => (await import("../../store/sqlite.ts")).sqliteStore(":memory:"),
};

interface Found {
  readonly file: string;
  readonly scenario: Scenario;
}

const problemOf = (error: NodeJS.ErrnoException): string => {
  if (error.code === "ENOENT") return "there is no such file";
  if (error.code === "EISDIR") return "it is a folder; name the files in it";
  return `it cannot be read (${error.message})`;
};

const read = async (file: string): Promise<readonly Found[]> => {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ScenarioFileError(file, undefined, "", problemOf(error), { cause: error });
  });
  return readScenarios(text, file).map((scenario) => ({ file, scenario }));
};

const chosen = (found: readonly Found[], only: readonly string[]): readonly Found[] => {
  const ids = only.flatMap((value) => value.split(",")).filter((id) => id !== "");
  if (ids.length === 0) return found;
  for (const id of ids)
    if (!found.some(({ scenario }) => scenario.id === id))
      throw new OptionError(
        "--only",
        `no scenario of the files has the id ${JSON.stringify(id)}; files come before --only`,
      );
  return found.filter(({ scenario }) => ids.includes(scenario.id));
};

const moods = { good: "result", bad: "failure", quiet: "note" } as const;

/**
 * Plays the scenarios of the files in order and prints each as it is done. Resolves to the exit code. Rejects with
 * ScenarioFileError or OptionError before anything is played.
 */
export const playFiles = async (
  files: readonly string[],
  { json, only, store }: PlayFlags,
  io: Io,
): Promise<number> => {
  const found: Found[] = [];
  for (const file of files) found.push(...(await read(file)));
  const write = (line: string) => void io.stdout.write(`${line}\n`);
  const paint = paintFor(io);
  const tint: Tint = (mood, text) => paint(moods[mood], text);
  const reports: ScenarioReport[] = [];
  for (const { file, scenario } of chosen(found, only)) {
    const report = await playScenario(scenario, { makeStore: stores[store] });
    reports.push(report);
    if (json) write(JSON.stringify({ file, ...report }));
    else for (const line of reportLines(report, tint)) write(line);
  }
  const counts = countsOf(reports);
  write(json ? JSON.stringify(counts) : summaryLine(counts));
  return counts.failed > 0 ? exitCodes.failed : exitCodes.done;
};
