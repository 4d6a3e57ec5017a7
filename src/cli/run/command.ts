import { Command } from "commander";
import { demoModel } from "../../model/demo/demo-model.ts";
import { createSystem } from "../../system/create.ts";
import { exitCodesHelp } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { run } from "./run.ts";

const help = `
Without TEXT, each line of standard input is sent once the work on the line before it is done: no round of the model, no
call in flight, no timed sleep. A subscription does not hold up the next line. The program ends when the input is at an
end and the thread is idle; a subscription that never ends is ended by Ctrl-C. Standard output is the conversation, and
standard error has the notices:

  > what you said            [the state the thread comes to]
  · a call                   ~ an event of a subscription
    ⇒ its result (✗ error)   ! a failure

A tools file is a .ts or .js module that exports what defineTool returns, alone or in arrays:

  import { defineTool } from "wakeful";
  import { z } from "zod";

  export default [
    defineTool({
      name: "greet",
      description: "Greet somebody.",
      inputSchema: z.object({ name: z.string() }),
      run: async ({ name }) => \`Hello, \${name}!\`,
    }),
  ];

Examples:
  $ wakeful run sleep 1 then say hi
  $ wakeful run --tools tools.ts "check build 42"
  $ printf 'check build 42\\ncount to 3\\n' | wakeful run --tools tools.ts
  $ wakeful run --tools tools.ts --json add 2 and 3 | jq .type

In this version the model is the demo model: a few rules, offline, no LLM.

${exitCodesHelp}`;

interface Flags {
  readonly tools?: readonly string[];
  readonly instructions?: string;
  readonly json?: boolean;
  readonly thread?: string;
}

const collect = (file: string, files: readonly string[] = []): readonly string[] => [...files, file];

/** `done` takes the exit code. */
export const runCommand = (io: Io, done: (code: number) => void): Command =>
  new Command("run")
    .description("Send a text, or each line of standard input, to an agent and print what happens.")
    .argument("[TEXT...]", "the text to send; its words are joined. Default: lines of standard input")
    .option("--tools <FILE>", "a .ts or .js module that exports tools; may be given several times", collect)
    .option("--instructions <TEXT>", "what the agent is told to be")
    .option("--thread <ID>", "the id of the thread. Default: a fresh one")
    .option("--json", "print one update per line as JSON, and nothing else")
    .addHelpText("after", help)
    .action(async (words: readonly string[], { tools = [], json = false, ...rest }: Flags) =>
      done(await run({ words, tools, json, ...rest }, io, { createSystem, model: () => demoModel() })),
    );
