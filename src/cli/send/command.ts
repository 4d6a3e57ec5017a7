import { Command, Option } from "commander";
import { systemClock } from "../../clock.ts";
import { withStore } from "../existing-store.ts";
import type { Io } from "../io.ts";
import { type SendOptions, sendText } from "./send.ts";

const help = `
The text is safe in the thread's inbox once this says so, whether or not a process runs the thread now; one that does takes
it up within a moment. The same --id again is dropped, so a script may repeat what it is not sure of.

Examples:
  $ wakeful send acme/build-42 "Is it done?" --db agents.db
  $ wakeful send acme/build-42 --db agents.db --id mail-7 - < mail.txt
  $ wakeful send acme/build-42 "When you have time" --db agents.db --while-busy wait

Exit codes:
  0  the text is in the inbox, or was there before
  1  it was not accepted: there is no such thread, its inbox is full, or the text is too long
  2  the database cannot be used, output cannot be written, or a mistake in the command line`;

interface Flags extends Omit<SendOptions, "json" | "thread" | "words"> {
  readonly json?: boolean;
}

/** `done` takes the exit code. */
export const sendCommand = (io: Io, done: (code: number) => void): Command =>
  new Command("send")
    .description("Send a text to a thread, wherever it is run.")
    .argument("<THREAD>", "the id of the thread")
    .argument(
      "<TEXT...>",
      "the text; its words are joined. - is all of standard input; behind -- a text may begin with a dash",
    )
    .requiredOption("--db <FILE>", "the database; it must be there")
    .option("--id <ID>", "the id of this input: a second one of the same id is dropped. Default: a fresh one")
    .addOption(
      new Option("--while-busy <WHAT>", "what the text does to work in flight: interrupt it, or wait for its end")
        .choices(["interrupt", "wait"])
        .default("interrupt"),
    )
    .option("--json", "print the outcome as a JSON object, and nothing else")
    .addHelpText("after", help)
    .action(async (thread: string, words: readonly string[], { json = false, ...rest }: Flags) =>
      done(await withStore(rest.db, (store) => sendText(store, { thread, words, json, ...rest }, io, systemClock))),
    );
