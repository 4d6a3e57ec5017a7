import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** What real providers differ in. */
export interface Limits {
  /** Longest tool name. */
  readonly nameLimit: number;
  /** Longest call id. */
  readonly idLimit: number;
  /** Whether calls and reasoning must carry the signature the model gave them. */
  readonly signatures: boolean;
  /** Whether the model takes images and other files. */
  readonly files: boolean;
  readonly tools: NonNullable<LanguageModelV4CallOptions["tools"]>;
}

/** Finds one kind of fault. Each fault begins with its place, `messages[2].content[0]: `, the system prompt counted. */
export type Check = (prompt: LanguageModelV4Prompt, limits: Limits) => Iterable<string>;

type MessageOf<Role> = Extract<LanguageModelV4Message, { role: Role }>;
export type AssistantPart = MessageOf<"assistant">["content"][number];
export type CallPart = Extract<AssistantPart, { type: "tool-call" }>;
export type ResultPart = Extract<MessageOf<"tool">["content"][number], { type: "tool-result" }>;
type Part = MessageOf<"user">["content"][number] | AssistantPart | MessageOf<"tool">["content"][number];

export const place = (message: number, part?: number): string =>
  `messages[${message}]${part === undefined ? "" : `.content[${part}]`}`;

/** Every part of every message but the system prompt's. */
export function* partsOf(prompt: LanguageModelV4Prompt): Iterable<{ readonly at: string; readonly part: Part }> {
  for (const [index, message] of prompt.entries()) {
    if (message.role === "system") continue;
    for (const [inner, part] of message.content.entries()) yield { at: place(index, inner), part };
  }
}

/** Calls that the provider executes itself are content of the turn: nobody else answers them. */
export const isCall = (part: Part): part is CallPart => part.type === "tool-call" && part.providerExecuted !== true;

/** The reserved name under which an event is shown as a call. Written out: an oracle borrows nothing of what it judges. */
export const eventTool = "receive_event__injected";

export const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
