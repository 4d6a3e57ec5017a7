import { Command } from "commander";
import { systemClock } from "../../clock.ts";
import { OptionError } from "../../errors.ts";
import { withStore } from "../existing-store.ts";
import type { Io } from "../io.ts";
import { type AnswerOptions, answerQuestion } from "./answer.ts";

const help = `
Without a question, those that are open are listed, with their ids and what they offer. A choice is given by its words, the
start of them, or its number; a call that waits for approval also takes yes and no. The first answer counts.

Examples:
  $ wakeful answer --db agents.db
  $ wakeful answer 'acme/build-42#3.0' approve --db agents.db --by ann
  $ wakeful answer 'acme/build-42#3.0' deny --db agents.db --reason "not on a Friday"
  $ wakeful answer --db agents.db --json | jq .choiceId

Exit codes:
  0  the answer is in the inbox, or was there before; or the list was printed
  1  the question takes no such answer: it was answered, ran out, was withdrawn, or does not offer it
  2  the database cannot be used, output cannot be written, or a mistake in the command line`;

interface Flags extends Omit<AnswerOptions, "json" | "question" | "choice"> {
  readonly json?: boolean;
}

/** `done` takes the exit code. */
export const answerCommand = (io: Io, done: (code: number) => void): Command =>
  new Command("answer")
    .description("Answer a question of a thread, or list those that are open.")
    .argument("[QUESTION]", "the id of a question, as the list, `show` and the feed have it")
    .argument("[CHOICE...]", "what is chosen; its words are joined")
    .requiredOption("--db <FILE>", "the database; it must be there")
    .option("--by <NAME>", "who answers, for the record and for the model")
    .option("--reason <TEXT>", "why, for the model")
    .option("--id <ID>", "the id of this input: a second one of the same id is dropped. Default: a fresh one")
    .option("--json", "print the outcome, or each question, as a JSON object, and nothing else")
    .addHelpText("after", help)
    .action(async (question: string | undefined, words: readonly string[], { json = false, ...rest }: Flags) => {
      const choice = words.join(" ");
      if (question !== undefined && choice.trim() === "")
        throw new OptionError("CHOICE", "is missing: say what is chosen, e.g. approve or deny");
      const options = { json, ...rest, ...(question !== undefined && { question, choice }) };
      done(await withStore(rest.db, (store) => answerQuestion(store, options, io, systemClock)));
    });
