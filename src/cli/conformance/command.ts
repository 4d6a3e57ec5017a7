import { Command, Option } from "commander";
import { type Io, processIo } from "../io.ts";
import { playFiles } from "./scenarios.ts";

const help = `
A line for each scenario: ok, FAIL with what was expected and what was seen, or skip with what it needs that this version
does not have. The last line counts them.

Examples:
  $ wakeful conformance scenarios scenarios/*.json
  $ wakeful conformance scenarios scenarios/deferral.json --only V011 V014
  $ wakeful conformance scenarios --json scenarios/*.json | jq 'select(.outcome == "failed")'

Exit codes:
  0  no scenario failed
  1  a scenario failed
  2  a file cannot be read or is no scenario file, or a mistake in the command line; nothing was played`;

interface Flags {
  readonly json?: boolean;
  readonly store: "memory" | "sqlite";
  readonly only?: readonly string[];
}

/** `done` takes the exit code; by default it becomes that of the process. */
export const conformanceCommand = (
  io: Io = processIo,
  done: (code: number) => void = (code) => {
    process.exitCode = code;
  },
): Command =>
  new Command("conformance")
    .description("Hold a runtime to the rules.")
    .addHelpText(
      "after",
      "\nExamples:\n  $ wakeful conformance scenarios scenarios/*.json\n\nIt says more: wakeful conformance scenarios --help",
    )
    .addCommand(
      new Command("scenarios")
        .description("Play scenario files against this runtime, on virtual time.")
        .argument("<FILE...>", "scenario files of format version 1")
        .option("--json", "print one JSON object per line: each scenario, then the counts")
        .option("--only <ID...>", "play these scenarios and no others")
        .addOption(
          new Option("--store <STORE>", "where threads are kept").choices(["memory", "sqlite"]).default("memory"),
        )
        .addHelpText("after", help)
        .action(async (files: readonly string[], { json = false, only = [], store }: Flags) =>
          done(await playFiles(files, { json, only, store }, io)),
        ),
    );
