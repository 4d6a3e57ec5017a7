import type { LanguageModelV4Message, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import type { CallPart, TurnEntry, TurnPart, UserEntry } from "../../machines/history/entry.ts";
import type { Json } from "../../machines/history/json.ts";
import { interruptionNote, noText } from "../../machines/history/wording.ts";
import { safeText } from "../tool/text.ts";
import { legalName, type PromptIds } from "./ids.ts";
import { safeArgs } from "./safe.ts";

export type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type AssistantPart = AssistantMessage["content"][number];

/** A text that interrupted has a part before it that says so; the user's own words stay a part of their own. */
export const userMessage = ({ text, interrupt }: UserEntry): LanguageModelV4Message => {
  const own = { type: "text" as const, text: text.trim() === "" ? noText : safeText(text) };
  return { role: "user", content: interrupt ? [{ type: "text", text: interruptionNote }, own] : [own] };
};

const callPart = (call: CallPart, ids: PromptIds): LanguageModelV4ToolCallPart => ({
  type: "tool-call",
  toolCallId: ids.forCall(call),
  toolName: legalName(call.name),
  input: safeArgs(call.args),
  ...(call.providerMetadata && { providerOptions: call.providerMetadata }),
});

/** The kinds of content that a provider makes itself and takes back in an assistant message. */
const providedTypes = ["file", "custom", "reasoning-file", "tool-call", "tool-result"];

const providedPart = (part: Json, ids: PromptIds): AssistantPart[] => {
  const { type, toolCallId } = (part ?? {}) as { type?: Json; toolCallId?: Json };
  if (typeof type !== "string" || !providedTypes.includes(type)) return [];
  if (typeof toolCallId === "string") ids.reserve(toolCallId);
  return [part as unknown as AssistantPart];
};

/** Text is left as it was signed where the provider signed it. */
const spokenPart = (part: Extract<TurnPart, { type: "text" | "reasoning" }>): AssistantPart[] => {
  const { type, text, providerMetadata } = part;
  if (text.trim() === "" && (type === "text" || !providerMetadata)) return [];
  return [providerMetadata ? { type, text, providerOptions: providerMetadata } : { type, text: safeText(text) }];
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
export const shownTurn = ({ parts }: TurnEntry, ids: PromptIds): ShownTurn => {
  const others = parts.flatMap((part) => {
    if (part.type === "call") return [];
    return part.type === "provided" ? providedPart(part.part, ids) : spokenPart(part);
  });
  const calls = parts.flatMap((part) =>
    part.type === "call" ? [{ callId: part.callId, shown: callPart(part, ids) }] : [],
  );
  const content = [...others, ...calls.map(({ shown }) => shown)];
  return {
    message: content.length > 0 ? { role: "assistant", content } : undefined,
    calls: calls.map(({ callId, shown: { toolCallId, toolName } }) => ({ callId, toolCallId, toolName })),
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
