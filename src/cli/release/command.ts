import { Command } from "commander";
import { systemClock } from "../../clock.ts";
import { withStore } from "../existing-store.ts";
import type { Io } from "../io.ts";
import { type ReleaseOptions, releaseThread } from "./release.ts";

const help = `
A thread is set aside when the process died over it again and again, so that it harms no other. What waits in it goes on
waiting. A release makes it go on where it was; a text sent to it does so too.

Examples:
  $ wakeful threads --db agents.db            says which are set aside, and why
  $ wakeful release acme/build-42 --db agents.db

Exit codes:
  0  the thread goes on once somebody runs the database
  1  there is no such thread, or it is not set aside
  2  the database cannot be used, output cannot be written, or a mistake in the command line`;

interface Flags extends Omit<ReleaseOptions, "json" | "thread"> {
  readonly json?: boolean;
}

/** `done` takes the exit code. */
export const releaseCommand = (io: Io, done: (code: number) => void): Command =>
  new Command("release")
    .description("Let a thread go on that was set aside.")
    .argument("<THREAD>", "the id of the thread")
    .requiredOption("--db <FILE>", "the database; it must be there")
    .option("--json", "print the outcome as a JSON object, and nothing else")
    .addHelpText("after", help)
    .action(async (thread: string, { json = false, db }: Flags) =>
      done(await withStore(db, (store) => releaseThread(store, { thread, json, db }, io, systemClock))),
    );
