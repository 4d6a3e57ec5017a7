import type { CallId } from "../history/ids.ts";
import type { Json } from "../history/json.ts";

/** What a person said to a question, or what was taken for it. */
export interface ChoiceAnswer {
  /** Which of the choices, from 0. */
  readonly index: number;
  /** Who answered, as whoever passed the answer on says; null when nobody did. */
  readonly by: string | null;
  readonly reason: string | null;
  /** Nobody answered in time, and the default was taken. */
  readonly expired?: true;
}

/**
 * A question to a person, kept until its call is settled. `approval`: may this call be made; its id is the call's. `ask`:
 * of a tool at work (`call.ask`). `choice`: of a tool that works elsewhere; it stays open, answered, until its call is settled.
 */
export interface Choice {
  /** Unique in a store: the call's id, or that and a key. */
  readonly choiceId: string;
  readonly callId: CallId;
  readonly kind: "approval" | "ask" | "choice";
  readonly prompt: string;
  readonly choices: readonly string[];
  /** Which of the choices is taken when nobody answers, from 0; null: none, and the question waits on. */
  readonly default: number | null;
  /** ms since the epoch. */
  readonly expiresAt: number | null;
  readonly answer: ChoiceAnswer | null;
}

/** What an approval offers, in this order. */
export const approvalChoices = ["approve", "always approve", "deny"] as const;
export const approve = 0;
export const alwaysApprove = 1;
export const deny = 2;

/** What a tool shows beside the conversation: the latest of each type counts. */
export interface View {
  readonly viewType: string;
  readonly content: Json;
}

/** The choice an answer means, by its number from 0 or by its words; undefined when there is none. */
export const chosenOf = ({ choices }: Choice, chosen: number | string): number | undefined => {
  if (typeof chosen === "number") return chosen in choices ? chosen : undefined;
  const index = choices.indexOf(chosen);
  return index < 0 ? undefined : index;
};

/** Nobody has answered it, and its call waits. */
export const isOpen = ({ answer }: Choice): boolean => answer === null;
