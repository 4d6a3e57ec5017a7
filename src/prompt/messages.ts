import type { LanguageModelV4Message, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import type { CallPart, TurnEntry, TurnPart, UserEntry } from "../../machines/history/entry.ts";
import type { Json } from "../../machines/history/json.ts";
import { imagePlaceholder, interruptionNote, noText, summaryNote } from "../../machines/history/wording.ts";
import { safeText } from "../tool/text.ts";
import { legalName, type PromptIds } from "./ids.ts";
import { safeArgs } from "./safe.ts";

export type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type AssistantPart = AssistantMessage["content"][number];

/** What a turn is shown with. */
interface Shown {
  readonly ids: PromptIds;
  readonly supportsImages: boolean;
}

/** A text that interrupted has a part before it that says so; the user's own words stay a part of their own. */
export const userMessage = ({ text, interrupt }: UserEntry): LanguageModelV4Message => {
  const own = { type: "text" as const, text: text.trim() === "" ? noText : safeText(text) };
  return { role: "user", content: interrupt ? [{ type: "text", text: interruptionNote }, own] : [own] };
};

/** The summary has a part before it that says what it is. */
export const summaryMessage = (text: string): LanguageModelV4Message => ({
  role: "user",
  content: [
    { type: "text", text: summaryNote },
    { type: "text", text: safeText(text) },
  ],
});

const callPart = (call: CallPart, ids: PromptIds): LanguageModelV4ToolCallPart => ({
  type: "tool-call",
  toolCallId: ids.forCall(call),
  toolName: legalName(call.name),
  input: safeArgs(call.args),
  ...(call.providerMetadata && { providerOptions: call.providerMetadata }),
});

/** The kinds of content that a provider makes itself and takes back in an assistant message. */
const providedTypes = ["file", "custom", "reasoning-file", "tool-call", "tool-result"];

const providedPart = (part: Json, { ids, supportsImages }: Shown): AssistantPart[] => {
  const { type, toolCallId, mediaType } = (part ?? {}) as { [field: string]: Json };
  if (typeof type !== "string" || !providedTypes.includes(type)) return [];
  if (type === "file" && !supportsImages) return [{ type: "text", text: imagePlaceholder(String(mediaType)) }];
  if (typeof toolCallId === "string") ids.reserve(toolCallId);
  return [part as unknown as AssistantPart];
};

/**
 * Reasoning that was signed goes back as it is or, where no provider could read it, not at all: mended, it would not be
 * what was signed.
 */
const spokenPart = (part: Extract<TurnPart, { type: "text" | "reasoning" }>): AssistantPart[] => {
  const { type, providerMetadata } = part;
  const text = safeText(part.text);
  if (text.trim() === "" && (type === "text" || !providerMetadata)) return [];
  if (type === "reasoning" && providerMetadata && text !== part.text) return [];
  return [{ type, text, ...(providerMetadata && { providerOptions: providerMetadata }) }];
};

export interface ShownTurn {
  /** Undefined when nothing of the turn can be shown. */
  readonly message: AssistantMessage | undefined;
  readonly calls: readonly {
    readonly callId: CallPart["callId"];
    readonly toolCallId: string;
    readonly toolName: string;
  }[];
}

/** A turn with its calls last, whatever stood behind them: results follow their calls directly (R5). */
export const shownTurn = ({ parts }: TurnEntry, shown: Shown): ShownTurn => {
  const others = parts.flatMap((part) => {
    if (part.type === "call") return [];
    return part.type === "provided" ? providedPart(part.part, shown) : spokenPart(part);
  });
  const calls = parts.flatMap((part) =>
    part.type === "call" ? [{ callId: part.callId, sent: callPart(part, shown.ids) }] : [],
  );
  const content = [...others, ...calls.map(({ sent }) => sent)];
  return {
    message: content.length > 0 ? { role: "assistant", content } : undefined,
    calls: calls.map(({ callId, sent: { toolCallId, toolName } }) => ({ callId, toolCallId, toolName })),
  };
};

const isReasoning = (part: AssistantPart | undefined): boolean =>
  part?.type === "reasoning" || part?.type === "reasoning-file";

/** The message without reasoning at its end: itself when there is none, undefined when nothing is left. */
export const withoutTrailingReasoning = (message: AssistantMessage): AssistantMessage | undefined => {
  if (!isReasoning(message.content.at(-1))) return message;
  const end = message.content.findLastIndex((part) => !isReasoning(part)) + 1;
  return end === 0 ? undefined : { ...message, content: message.content.slice(0, end) };
};
