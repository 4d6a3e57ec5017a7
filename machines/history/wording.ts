import type { ContentItem } from "./entry.ts";
import type { JsonObject } from "./json.ts";

/** Every sentence that the runtime itself puts into a history or a prompt, in one place. */

const says = (text: string): ContentItem[] => [{ type: "text", text }];

const interrupters = {
  text: "the user wrote before this call had a result",
  control: "the user stopped this call before it had a result",
  stop: "the program was stopped before this call had a result",
} as const;

/** What interrupted calls; `stop`: the system was stopped. */
export type Interrupter = keyof typeof interrupters;

export const interruptedText = (by: Interrupter): ContentItem[] =>
  says(`Interrupted: ${interrupters[by]}. It may or may not have taken effect.`);

/** `by`: what woke the thread, e.g. `an event`. */
export const wokenEarlyText = (by: string): ContentItem[] => says(`Woken early by ${by}.`);

export const timerText = (due: number, at: number): ContentItem[] =>
  says(`The time is over. It was due at ${instant(due)}; it is ${instant(at)} now.`);

export const deadlineText = (): ContentItem[] =>
  says("Error: no result came before the deadline of this call. It may or may not have taken effect.");

export const restartText = (): ContentItem[] =>
  says("Error: the process ended while this call was at work. It may or may not have taken effect.");

export const tooManySubscriptionsText = (limit: number): ContentItem[] =>
  says(`Error: this thread has ${limit} subscriptions already; this one was not opened.`);

const whyNot = {
  truncated: "the turn was cut off at the output limit",
  filtered: "the provider's filter ended the turn",
  failed: "the request to the model failed before the turn ended",
  repeated: "the same call was made too often in a row",
  interrupted: "the user interrupted before it could begin",
  stopped: "the program was stopped before the turn ended",
  notStarted: "another call of this turn was refused; read its error first",
} as const;

export const notExecutedText = (why: keyof typeof whyNot): ContentItem[] =>
  says(`Error: NOT executed: ${whyNot[why]}.`);

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
