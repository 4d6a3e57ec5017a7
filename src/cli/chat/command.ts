import { Command } from "commander";
import { exitCodes, signalCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { type Flags, modelsHelp, sessionOf, withSessionFlags } from "../run/flags.ts";
import { realParts } from "../run/parts.ts";
import { chat } from "./chat.ts";

const help = `
Type, and press Enter. What you type while the agent works interrupts it: its tools are told to stop, and it reads your
text next. Ctrl-C interrupts without a text, and a second one leaves; Ctrl-D leaves at once. Lines that you paste together
are one text.

  > what you said            ~ an event of a subscription, or what a child reports
  · a call                   + a child begins; what it does stands behind its name and │
    ⇒ its result (✗ error)   ! a failure
  ? a person is asked        ⠹ instead of > : the agent works, and you can type

With --db the thread is kept. Leaving loses nothing: what was under way goes on with the next wakeful that uses the file,
and so does the talk, with --thread. One program at a time runs the threads of a file.

In a pipe there is nobody to interrupt, so each line waits for the work on the line before it, as with wakeful run.

Examples:
  $ wakeful chat
  $ wakeful chat --db agents.db                       it says how to go on when you leave
  $ wakeful chat --db agents.db --thread notes
  $ wakeful chat --tools tools.ts --model claude-sonnet-4-5
  $ OPENAI_BASE_URL=http://localhost:11434/v1 wakeful chat --model llama3.2

${modelsHelp}
Without --model the demo model answers: a few rules, offline, no LLM.

Exit codes:
  ${exitCodes.done}    you left, or the time of --for is over; in a pipe: as with wakeful run
  ${exitCodes.failed}    another program took over the threads of the file
  ${exitCodes.usage}    a mistake in the command line, or a file that cannot be used
  ${signalCode("SIGTERM")}  stopped by SIGTERM (${signalCode("SIGHUP")}: the terminal was closed)`;

/** `done` takes the exit code. */
export const chatCommand = (io: Io, done: (code: number) => void): Command =>
  withSessionFlags(new Command("chat").description("Talk with an agent at the terminal."))
    .addHelpText("after", help)
    .action(async (flags: Flags) => done(await chat(sessionOf(flags), io, realParts)));
