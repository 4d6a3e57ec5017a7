import type { ContentItem } from "./entry.ts";
import type { JsonObject } from "./json.ts";

/** Every sentence that the runtime itself puts into a history or a prompt, here and, of a family of threads, in `family-wording.ts`. */

export const says = (text: string): ContentItem[] => [{ type: "text", text }];

const noted = (text: string, note: string | undefined): string => (note === undefined ? text : `${text} ${note}`);

const interrupters = {
  text: "the user wrote before this call had a result",
  control: "the user stopped this call before it had a result",
  stop: "the program was stopped before this call had a result",
  halt: "the thread was halted before this call had a result",
  close: "the thread was closed before this call had a result",
} as const;

/** What interrupted calls; `stop`: the system was stopped, `halt`, `close`: the thread was, or one above it. */
export type Interrupter = keyof typeof interrupters;

export const isInterrupter = (reason: unknown): reason is Interrupter =>
  typeof reason === "string" && Object.hasOwn(interrupters, reason);

export const interruptedText = (by: Interrupter): ContentItem[] =>
  says(`Interrupted: ${interrupters[by]}. It may or may not have taken effect.`);

/** `by`: what woke the thread, e.g. `an event`. `note`: what the wait says of itself, whole sentences. */
export const wokenEarlyText = (by: string, note?: string): ContentItem[] => says(noted(`Woken early by ${by}.`, note));

/** `note`: what the wait says of itself, whole sentences. */
export const timerText = (due: number, at: number, note?: string): ContentItem[] =>
  says(noted(`The time is over. It was due at ${instant(due)}; it is ${instant(at)} now.`, note));

export const deadlineText = (): ContentItem[] =>
  says("Error: no result came before the deadline of this call. It may or may not have taken effect.");

export const restartText = (): ContentItem[] =>
  says("Error: the process ended while this call was at work. It may or may not have taken effect.");

export const tooManySubscriptionsText = (limit: number): ContentItem[] =>
  says(`Error: this thread has ${limit} subscriptions already; this one was not opened.`);

/** The result of a call whose own was lost from the stored history. */
export const repairedText = (): ContentItem[] =>
  says("Error: the result of this call was lost from the stored history. It may or may not have taken effect.");

/** In the place of entries that are gone. */
export const lostNote = "[Something of this conversation was lost here, or was damaged and set aside.]";

/** Before text of a damaged entry of which nobody can say who wrote it. */
export const recoveredNote = (text: string): string =>
  `[An entry of this conversation was damaged. This much of it could be read:]\n${text}`;

/** In the place of calls that were taken out of a turn, when nothing else is left of it. */
export const cutTurnText = "(The calls of this turn were damaged in the stored history and set aside.)";

const whyNot = {
  truncated: "the turn was cut off at the output limit",
  filtered: "the provider's filter ended the turn",
  failed: "the request to the model failed before the turn ended",
  repeated: "the same call was made too often in a row",
  interrupted: "the user interrupted before it could begin",
  stopped: "the program was stopped before the turn ended",
  notStarted: "another call of this turn was refused; read its error first",
  closing: "this turn closes the thread",
} as const;

export const notExecutedText = (why: keyof typeof whyNot): ContentItem[] =>
  says(`Error: NOT executed: ${whyNot[why]}.`);

/** Behind `Error: NOT executed`; `by`, `reason`: as who answered gave them. */
export const deniedText = (by: string | null, reason: string | null): ContentItem[] =>
  says(`Error: NOT executed: ${by ?? "a person"} denied this call${reason ? `, and says: ${reason}` : "."}`);

export const expiredText = (): ContentItem[] =>
  says("Error: NOT executed: nobody approved this call in time. Ask the user before you try again.");

export const withdrawnText = (by: Interrupter): ContentItem[] =>
  says(`Error: NOT executed: this call waited for approval, and ${withdrawers[by]}.`);

const withdrawers: Readonly<Record<Interrupter, string>> = {
  text: "the user wrote instead",
  control: "the user stopped it",
  stop: "the program was stopped",
  halt: "the thread was halted",
  close: "the thread was closed",
};

/** What a result says that says nothing: providers refuse blank text. */
export const noOutput = "(no output)";

/** In a prompt, in place of a user text that says nothing. */
export const noText = "(no text)";

/** In a prompt, for a call that has no result yet. */
export const stillRunning = "Still running: this call has no result yet.";

/** In a prompt, before a user text that cut a streaming round short. */
export const interruptionNote = "[The user interrupted your answer to write this.]";

/** In a prompt, in place of an image that the model cannot see. */
export const imagePlaceholder = (mediaType: string): string => `[image ${mediaType}]`;

/** The tool name under which a prompt shows events. Reserved: no tool has it, and no model may call it. */
export const eventTool = "receive_event__injected";

/** The last instant that a date can name. */
const lastInstant = 8.64e15;

const instant = (at: number): string => new Date(Math.max(-lastInstant, Math.min(lastInstant, at || 0))).toISOString();

const longest = 200;

/** How a call is shown to people when its tool says nothing else: `name(args)`, cut to 200 characters. */
export const displayForm = (name: string, args: JsonObject): string => {
  const form = `${name}(${Object.keys(args).length === 0 ? "" : JSON.stringify(args)})`;
  return form.length > longest ? `${form.slice(0, longest - 1).toWellFormed()}…` : form;
};

/** Before the summary that stands for the beginning of a conversation. */
export const summaryNote = "[The conversation up to here was summarised. The user did not write this.]";

/** What a model is asked for when its conversation is to be summarised. */
export const summaryRequest =
  "Summarise the conversation above for yourself: it will be gone, and you go on from your summary alone. Keep what the user " +
  "asked for and decided, what was done and found, names, numbers and ids that are still needed, what is under way and what is " +
  "still to be done. Leave out greetings and what is settled. Write plain text, do not call a tool, and do not answer the user.";
