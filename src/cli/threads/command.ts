import { Command, Option } from "commander";
import { withStore } from "../existing-store.ts";
import type { Io } from "../io.ts";
import { states } from "./table.ts";
import { listThreads, type ThreadsOptions } from "./threads.ts";

const help = `
A line for each thread, by id: the state its record says, the inputs that wait in it, and whether it is due: whoever runs
the threads has work with it beside those inputs, because a slice goes on, or a call or a source of events is at work in
that process. It only reads, so another process may run the threads meanwhile.
--tree lists root threads, and below each the threads that it opened, also closed ones.
Ids are cut in the middle where a terminal has no room for them, and never in a pipe.

Examples:
  $ wakeful threads --db agents.db
  $ wakeful threads --db agents.db --state awaitingActiveCall
  $ wakeful threads --db agents.db --tree
  $ wakeful threads --db agents.db --json | jq -r 'select(.waiting > 0).threadId'

Exit codes:
  0  the threads were listed; also when the reader of the output went away
  2  the database cannot be used, output cannot be written, or a mistake in the command line`;

/** `done` takes the exit code. */
export const threadsCommand = (io: Io, done: (code: number) => void): Command =>
  new Command("threads")
    .description("List the threads of a database.")
    .requiredOption("--db <FILE>", "the database; it must be there")
    .addOption(new Option("--state <STATE>", "only threads in this state").choices(states))
    .addOption(new Option("--tree", "children below their parents, indented").conflicts("state"))
    .option("--json", "print one JSON object per line, and nothing else")
    .addHelpText("after", help)
    .action(async ({ json = false, ...rest }: Omit<ThreadsOptions, "json"> & { readonly json?: boolean }) =>
      done(await withStore(rest.db, (store) => listThreads(store, { json, ...rest }, io))),
    );
