import { Command, InvalidArgumentError } from "commander";
import { systemClock } from "../../clock.ts";
import { withStore } from "../existing-store.ts";
import type { Io } from "../io.ts";
import { type ShowOptions, showThread } from "./show.ts";

const help = `
Its state as the record says, what it was launched with, the tokens it used, its last failure and its history; then what it
waits for: outstanding calls with what can end each, inputs that wait (DEFERRED: held back while an active call is
outstanding), subscriptions, timers, and open children. Long texts are cut and say by how much; --json has everything,
instants as ms since the epoch. It only reads, so another process may run the thread meanwhile.

Examples:
  $ wakeful show acme/build-42 --db agents.db
  $ wakeful show acme/build-42 --db agents.db --last 3
  $ wakeful show acme/build-42 --db agents.db --json | jq '.waiting[] | select(.standing == "deferred")'

Exit codes:
  0  the thread was shown; also when the reader of the output went away
  1  there is no such thread
  2  the database cannot be used, output cannot be written, or a mistake in the command line`;

const count = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("It takes a whole number from 0.");
  return Number(text);
};

interface Flags extends Omit<ShowOptions, "json" | "thread"> {
  readonly json?: boolean;
}

/** `done` takes the exit code. */
export const showCommand = (io: Io, done: (code: number) => void): Command =>
  new Command("show")
    .description("Show a thread: its history, and what it waits for.")
    .argument("<THREAD>", "the id of the thread")
    .requiredOption("--db <FILE>", "the database; it must be there")
    .option("--last <N>", "entries of the history to show. Default: 20, and all of them with --json", count)
    .option("--json", "print one JSON object with everything, and nothing else")
    .addHelpText("after", help)
    .action(async (thread: string, { json = false, ...rest }: Flags) =>
      done(await withStore(rest.db, (store) => showThread(store, { thread, json, ...rest }, io, systemClock))),
    );
