import { randomUUID } from "node:crypto";
import { ThreadId } from "../../machines/history/ids.ts";
import type { Envelope } from "../../machines/thread/input.ts";
import { AddressError } from "../errors.ts";
import { parseAddress } from "./address.ts";
import { choiceIdOf, type Question, questionEnvelope } from "./question.ts";

export interface AnswerOptions {
  /** Who answers, for the record and for the model. */
  readonly by?: string;
  /** Shown to the model when a call is denied. */
  readonly reason?: string;
  /** The same id again is dropped (R2). Default: a fresh one. */
  readonly id?: string;
}

/** The thread whose question it is; undefined for what is no question's id. */
export const threadOfChoice = (choiceId: string): ThreadId | undefined =>
  ThreadId.safeParse(String(choiceId).split("#", 1)[0]).data;

/**
 * The answer to a question, from any process, to be given to a sender. `choice` is its number, from 0, or its words. The
 * first answer counts; a later one is discarded. Throws AddressError for what is no question's id.
 */
export const answerFor = (
  choiceId: string,
  choice: number | string,
  { by, reason, id }: AnswerOptions = {},
): Envelope => {
  const threadId = threadOfChoice(choiceId);
  if (threadId === undefined || !choiceId.includes("#")) throw new AddressError(String(choiceId));
  return {
    threadId,
    dedupId: id ?? randomUUID(),
    input: { kind: "answer", choiceId, choice, by: by ?? null, reason: reason ?? null },
  };
};

/**
 * A question of a call whose work goes on elsewhere, to be given to a sender; its answer is in the feed. It stays open,
 * answered, until the call has its result. Without a key it is the one question of the call. Throws AddressError,
 * QuestionError.
 */
export const choiceFor = (address: string, question: Question): Envelope => {
  const call = parseAddress(address);
  const choiceId = question.key === undefined ? call.callId : choiceIdOf(call.callId, question.key);
  return questionEnvelope(call, choiceId, "choice", question);
};

/** A call can go on once a person has signed in at `url`; to be given to a sender. Throws AddressError. */
export const oauthFor = (address: string, url: string, { id }: { readonly id?: string } = {}): Envelope => {
  const { threadId, callId } = parseAddress(address);
  return { threadId, dedupId: id ?? randomUUID(), input: { kind: "oauth", callId, url: String(url) } };
};

/**
 * What a call shows beside the conversation, any JSON; the latest of a type takes the place of the one before. To be given to
 * a sender. Throws AddressError.
 */
export const viewFor = (
  address: string,
  viewType: string,
  content: unknown,
  { id }: { readonly id?: string } = {},
): Envelope => {
  const { threadId, callId } = parseAddress(address);
  return {
    threadId,
    dedupId: id ?? randomUUID(),
    input: { kind: "view", callId, viewType, content: content as never },
  };
};
