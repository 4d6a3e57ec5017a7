import { Command, CommanderError } from "commander";
import metadata from "wakeful/package.json" with { type: "json" };
import { WakefulError } from "../errors.ts";
import { answerCommand } from "./answer/command.ts";
import { chatCommand } from "./chat/command.ts";
import { conformanceCommand } from "./conformance/command.ts";
import { exitCodes } from "./exit-codes.ts";
import { type Io, notice } from "./io.ts";
import { machinesCommand } from "./machines/command.ts";
import { releaseCommand } from "./release/command.ts";
import { runCommand } from "./run/command.ts";
import { sendCommand } from "./send/command.ts";
import { showCommand } from "./show/command.ts";
import { simulateCommand } from "./simulate/command.ts";
import { threadsCommand } from "./threads/command.ts";

const help = `
Examples:
  $ wakeful chat                                     talk with an agent
  $ wakeful chat --db agents.db --thread notes       go on with a thread that is kept in a file
  $ wakeful run sleep 1 then say hi                  one text, no tools of your own
  $ wakeful run --tools tools.ts                     lines that you type
  $ echo "check build 42" | wakeful run --tools tools.ts
  $ wakeful threads --db agents.db                   the threads of a database
  $ wakeful show acme/build-42 --db agents.db        one of them: its history, and what it waits for
  $ wakeful send acme/build-42 "Done?" --db agents.db
  $ wakeful answer --db agents.db                    questions that wait for a person
  $ wakeful release acme/build-42 --db agents.db     let a thread go on that was set aside
  $ wakeful machines                                 the state machines, drawn
  $ wakeful conformance scenarios scenarios/*.json   play scenario files
  $ wakeful simulate --seeds 1..1000 --crashes       try to break the rules

Each command says more, and has its own exit codes in full: wakeful run --help

Exit codes:
  0  done
  1  the command is in order, and what it asked for did not work out
  2  a mistake in the command line, a file that cannot be used, or output that cannot be written`;

/** Runs the program and resolves to its exit code. Never rejects for what the person at the other end got wrong. */
export const main = async (argv: readonly string[], io: Io): Promise<number> => {
  // A reader that went away is no fault: whoever still works hears of it and stops.
  for (const stream of [io.stdout, io.stderr]) stream.on("error", () => {});
  let code: number = exitCodes.done;
  const program = new Command("wakeful")
    .description("Run LLM agents that can wait: for a build, for a person, or for next Monday.")
    .version(metadata.version)
    .addHelpText("after", help)
    .showHelpAfterError("Say --help for what would work.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, "wakeful: ")),
    });
  const done = (exit: number) => {
    code = exit;
  };
  for (const command of [chatCommand(io, done), runCommand(io, done), conformanceCommand(io, done)])
    program.addCommand(adopted(command, program));
  const others = [
    threadsCommand,
    showCommand,
    sendCommand,
    answerCommand,
    releaseCommand,
    machinesCommand,
    simulateCommand,
  ];
  for (const command of others) program.addCommand(adopted(command(io, done), program));
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (!(error instanceof WakefulError)) throw error;
    notice(io, error.message);
    return exitCodes.usage;
  }
};

/** A command that writes and ends as its parent does, and so do the commands inside it. */
const adopted = (command: Command, parent: Command): Command => {
  command.copyInheritedSettings(parent);
  for (const inner of command.commands) adopted(inner, command);
  return command;
};
