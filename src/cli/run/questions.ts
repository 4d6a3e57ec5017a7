import { type Choice, chosenOf } from "../../../machines/thread/choice.ts";
import { ChoiceClosedError } from "../../errors.ts";
import type { Thread } from "../../system/api.ts";
import type { Update } from "../../thread/update.ts";
import { oneLine } from "./terminal-text.ts";

/** Questions of a thread and those below it, at the command line. */

/** What somebody means who typed a line: a choice by its words, the start of them, its number from 1, or yes and no. */
export interface Meant {
  readonly index: number;
  readonly reason?: string;
}

const short: Readonly<Record<string, string>> = { y: "approve", yes: "approve", n: "deny", no: "deny" };

/** `deny: because` has a reason. Undefined for a line that answers nothing: it is a text like any other. */
export const meantBy = (line: string, choice: Pick<Choice, "choices" | "kind">): Meant | undefined => {
  const [, words = "", reason] = /^\s*([^:]*?)\s*(?::\s*(.*\S)\s*)?$/s.exec(line) ?? [];
  const lower = words.toLowerCase();
  if (lower === "") return undefined;
  const said = choice.kind === "approval" ? (short[lower] ?? lower) : lower;
  const all = choice.choices.map((each) => each.toLowerCase());
  const begins = all.flatMap((each, index) => (each.startsWith(said) ? [index] : []));
  const number = /^\d+$/.test(lower) ? Number(lower) - 1 : undefined;
  const index =
    all.indexOf(said) >= 0
      ? all.indexOf(said)
      : number !== undefined
        ? chosenOf(choice as Choice, number)
        : begins.length === 1
          ? begins[0]
          : undefined;
  return index === undefined ? undefined : { index, ...(reason !== undefined && { reason }) };
};

/** The choices as a person is shown them: numbered from 1, the default in brackets behind. */
export const offered = ({ choices, default: usual }: Pick<Choice, "choices" | "default">): string =>
  choices.map((choice, index) => `${index + 1} ${oneLine(choice)}${index === usual ? " (default)" : ""}`).join(" · ");

/** Sends a typed line as the answer to the oldest open question, if it answers it. */
export const answeredBy = async (thread: Thread, line: string): Promise<boolean> => {
  const [open] = await thread.choices({ tree: true });
  const meant = open && meantBy(line, open);
  if (!open || !meant) return false;
  const { index, reason } = meant;
  await thread.answer(open.choiceId, index, { by: "the user", ...(reason !== undefined && { reason }) });
  return true;
};

export interface Unattended {
  /** Every call is approved. */
  readonly yes: boolean;
  /** Says what was decided for nobody. */
  readonly say: (text: string) => void;
}

/**
 * Nobody can be asked: calls are denied, unless `yes`, and other questions take their default. One that has none waits for
 * whoever answers it from elsewhere.
 */
export const answerUnattended = (thread: Thread, { yes, say }: Unattended): ((update: Update) => void) => {
  const answer = async (update: Extract<Update, { type: "choice.opened" }>): Promise<void> => {
    const { choiceId, kind, choices, default: usual, prompt } = update;
    if (kind !== "approval" && usual === null)
      return say(`a question waits for \`wakeful answer\`: ${oneLine(prompt)}`);
    const index = kind === "approval" && yes ? 0 : (usual ?? 0);
    const why = yes ? "--yes" : "nobody can be asked here";
    say(
      `${oneLine(prompt)}: ${oneLine(choices[index] ?? "")} (${kind === "approval" && !yes ? `${why}; --yes approves` : why})`,
    );
    await thread.answer(choiceId, index, { by: "the program", ...(!yes && { reason: "nobody could be asked" }) });
  };
  return (update) => {
    if (update.type !== "choice.opened") return;
    answer(update).catch((error: Error) => {
      if (!(error instanceof ChoiceClosedError)) say(`not answered: ${error.message}`);
    });
  };
};
