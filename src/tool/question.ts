import type { CallId } from "../../machines/history/ids.ts";
import type { ChoiceAnswer } from "../../machines/thread/choice.ts";
import type { Envelope } from "../../machines/thread/input.ts";
import { QuestionError } from "../errors.ts";
import type { CallAddress } from "./address.ts";
import { safeText } from "./text.ts";

/** What a tool asks a person. */
export interface Question {
  /** 1 to 10,000 characters. */
  readonly prompt: string;
  /** 1 to 50, each with 1 to 500 characters, no two the same. */
  readonly choices: readonly string[];
  /** What is taken when the question is dismissed or runs out: one of `choices`, or its number from 0. */
  readonly default: string | number;
  /** A date or ms since the epoch. Default: the question waits for as long as its call does. */
  readonly expiresAt?: Date | number;
  /**
   * Tells the questions of one call apart, over restarts too: the same key is the same question. Default: how many the
   * call has asked before, which is enough for tools that ask in the same order each time.
   */
  readonly key?: string;
}

/** What became of a question. */
export interface QuestionAnswer {
  readonly choice: string;
  /** Its number, from 0. */
  readonly index: number;
  /** Who answered, when whoever passed the answer on said so. */
  readonly by?: string;
  readonly reason?: string;
  /** Nobody answered in time: this is the default. */
  readonly expired?: true;
}

export const choiceIdOf = (callId: CallId, key: string): string => `${callId}?${key}`;

const wrong = (problem: string): never => {
  throw new QuestionError(problem);
};

/** The envelope that asks it. Throws QuestionError, which says what is wrong and what would work. */
export const questionEnvelope = (
  { threadId, callId }: CallAddress,
  choiceId: string,
  form: "ask" | "choice",
  question: Question,
): Envelope => {
  const { prompt, choices, default: usual, expiresAt } = question;
  if (typeof prompt !== "string" || prompt.trim() === "") wrong("its prompt is blank");
  if (prompt.length > 10_000) wrong(`its prompt has ${prompt.length} characters, and 10,000 are taken`);
  if (!Array.isArray(choices) || choices.length < 1 || choices.length > 50) wrong("it takes a list of 1 to 50 choices");
  if (choices.some((choice) => typeof choice !== "string" || choice.trim() === "" || choice.length > 500))
    wrong("a choice is a text of 1 to 500 characters");
  if (new Set(choices).size < choices.length) wrong("two of its choices are the same");
  const index = typeof usual === "number" ? usual : choices.indexOf(usual);
  if (!(index in choices)) wrong(`its default is none of ${choices.join(", ")}`);
  const instant = expiresAt === undefined ? null : Number(expiresAt);
  if (Number.isNaN(instant)) wrong("expiresAt is no date");
  if (choiceId.length > 500) wrong("its key is too long; a key has a few words at most");
  return {
    threadId,
    dedupId: choiceId,
    input: {
      kind: "choice",
      callId,
      choiceId,
      form,
      prompt: safeText(prompt),
      choices: choices.map(safeText),
      default: index,
      expiresAt: instant,
    },
  };
};

export const answerOf = (choices: readonly string[], { index, by, reason, expired }: ChoiceAnswer): QuestionAnswer => ({
  choice: choices[index] ?? "",
  index,
  ...(by !== null && { by }),
  ...(reason !== null && { reason }),
  ...(expired && { expired }),
});
