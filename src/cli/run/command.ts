import { Command } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { type Flags, modelsHelp, sessionOf, withSessionFlags } from "./flags.ts";
import { realParts } from "./parts.ts";
import { run } from "./run.ts";

const help = `
Without TEXT, each line of standard input is sent once the work on the line before it is done: no round of the model, no
call in flight, no timed sleep. A subscription does not hold up the next line. The program ends when the input is at an
end and the thread is idle; a subscription that never ends is ended by --for or by Ctrl-C. With --db nothing of this is
lost: the next program that uses the file goes on with what was under way. Standard output is the conversation, and
standard error has the notices:

  > what you said            [the state the thread comes to]
  · a call                   ~ an event of a subscription, or what a child reports
    ⇒ its result (✗ error)   + a child begins; what it does stands behind its name and │
  ? a person is asked        ! a failure

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
  $ wakeful run --tools tools.ts --for 60 count to 1000
  $ wakeful run --db agents.db --thread notes --model claude-sonnet-4-5 "what did we say yesterday?"

${modelsHelp}
Without --model the demo model answers: a few rules, offline, no LLM.

${exitCodesHelp}`;

/** `done` takes the exit code. */
export const runCommand = (io: Io, done: (code: number) => void): Command =>
  withSessionFlags(
    new Command("run")
      .description("Send a text, or each line of standard input, to an agent and print what happens.")
      .argument("[TEXT...]", "the text to send; its words are joined. Default: lines of standard input"),
  )
    .addHelpText("after", help)
    .action(async (words: readonly string[], flags: Flags) =>
      done(await run({ ...sessionOf(flags), words }, io, realParts)),
    );
