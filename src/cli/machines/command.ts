import { Argument, Command, Option } from "commander";
import { exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { outputOf } from "../output.ts";
import { chartText, type Format, formats, machines } from "./machines.ts";

const help = `
Without a name all of them, as Markdown with a heading for each. The JSON of one machine is what stands inside
createMachine(…): paste it there, into Stately's editor or a file. Guards, actions and actors are in it by name.

Examples:
  $ wakeful machines > machines.md
  $ wakeful machines thread | mmdc --input - --output thread.svg
  $ wakeful machines round --format json

Exit codes:
  0  the charts were printed; also when the reader of the output went away
  2  output cannot be written, or a mistake in the command line`;

/** `done` takes the exit code. */
export const machinesCommand = (io: Io, done: (code: number) => void): Command =>
  new Command("machines")
    .description("Print the state machines that threads run on.")
    .addArgument(new Argument("[MACHINE]", "one of them").choices(Object.keys(machines)))
    .addOption(new Option("--format <FORMAT>", "how they are written").choices(formats).default("mermaid"))
    .addHelpText("after", help)
    .action(async (name: string | undefined, { format }: { readonly format: Format }) => {
      const output = outputOf(io);
      await output.write(chartText(name, format));
      done(output.code(exitCodes.done));
    });
