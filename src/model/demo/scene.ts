import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { eventTool } from "../scripted/strict/check.ts";
import type { Heard } from "./intent.ts";

/** What happened since the model last spoke. */
export type News =
  | { readonly kind: "event"; readonly event: Heard }
  | {
      readonly kind: "result";
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
      readonly text: string;
      readonly error: boolean;
    };

/** A prompt, read for what matters to a reply. */
export interface Scene {
  /** The texts of the last time the user wrote, in order. */
  readonly asked: readonly string[];
  /** Turns of the model since then. */
  readonly turnsSince: number;
  readonly news: readonly News[];
  /** The user stopped the model since then, and wrote nothing. */
  readonly stopped: boolean;
  /** Everything the model has said. */
  readonly said: string;
  /** Calls the model has made; the next ids are made from it. */
  readonly calls: number;
}

type Args = Readonly<Record<string, unknown>>;
type Item =
  | { readonly kind: "asked"; readonly text: string }
  | { readonly kind: "turn"; readonly text: string; readonly calls: number }
  | News;

const asArgs = (value: unknown): Args =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Args) : {};

const heard = (source: Args, text: string): News => ({
  kind: "event",
  event: { tool: String(source.original_tool_name), args: asArgs(source.original_args), text },
});

const outputText = (output: LanguageModelV4ToolResultOutput): string => {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return `Error: ${output.reason ?? "the call was denied"}`;
    case "content":
      return output.value.map((item) => (item.type === "text" ? item.text : `[${item.type}]`)).join("\n");
  }
};

const isError = (output: LanguageModelV4ToolResultOutput, text: string): boolean =>
  output.type === "error-text" || output.type === "error-json" || /^error\b/i.test(text);

/** The source in a text block that stands for an event: the reserved name, then its arguments, in brackets. */
const eventBlock = new RegExp(`^\\[.*${eventTool} (\\{.*\\})\\]$`, "s");
const sourceIn = (text: string): Args | undefined => {
  const json = eventBlock.exec(text)?.[1];
  if (json === undefined) return undefined;
  try {
    return asArgs(JSON.parse(json));
  } catch {
    return undefined;
  }
};

/** The user's own words come last; a part before them that is in brackets is the runtime's. */
const fromUser = (message: Extract<LanguageModelV4Message, { role: "user" }>): Item => {
  const texts = message.content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`));
  const [first = "", ...rest] = texts;
  const source = rest.length > 0 ? sourceIn(first) : undefined;
  if (source) return heard(source, rest.join("\n"));
  const own = rest.length > 0 && /^\[.*\]$/s.test(first) ? rest : texts;
  return { kind: "asked", text: own.join("\n") };
};

const itemsOf = (prompt: LanguageModelV4Prompt): Item[] => {
  const calls = new Map<string, { readonly tool: string; readonly args: Args }>();
  const items: Item[] = [];
  for (const message of prompt) {
    if (message.role === "user") items.push(fromUser(message));
    if (message.role === "assistant") {
      const own = message.content.filter((part) => part.type !== "tool-call" || part.toolName !== eventTool);
      for (const part of message.content)
        if (part.type === "tool-call") calls.set(part.toolCallId, { tool: part.toolName, args: asArgs(part.input) });
      const text = own.map((part) => (part.type === "text" ? part.text : "")).join("");
      const made = own.filter((part) => part.type === "tool-call").length;
      if (own.length > 0) items.push({ kind: "turn", text, calls: made });
    }
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type !== "tool-result") continue;
      const { tool, args } = calls.get(part.toolCallId) ?? { tool: part.toolName, args: {} };
      const text = outputText(part.output);
      items.push(
        tool === eventTool
          ? heard(args, text)
          : { kind: "result", tool, args, text, error: isError(part.output, text) },
      );
    }
  }
  return items;
};

/** The call had no result of its own: the user wrote or stopped it. */
export const wasInterrupted = ({ text }: { readonly text: string }): boolean => /^interrupted\b/i.test(text);

/** The wait was ended by something that came before its time. */
export const wasWokenEarly = ({ text }: { readonly text: string }): boolean => /^woken early\b/i.test(text);

const isNews = (item: Item): item is News => item.kind === "event" || item.kind === "result";

export const sceneOf = (prompt: LanguageModelV4Prompt): Scene => {
  const items = itemsOf(prompt);
  const lastAsked = items.findLastIndex(({ kind }) => kind === "asked");
  const before = items.slice(0, Math.max(0, lastAsked)).findLastIndex(({ kind }) => kind === "turn");
  const since = items.slice(lastAsked + 1);
  const turns = items.filter((item) => item.kind === "turn");
  return {
    asked: items.slice(before + 1, lastAsked + 1).flatMap((item) => (item.kind === "asked" ? [item.text] : [])),
    turnsSince: since.filter(({ kind }) => kind === "turn").length,
    news: items.slice(items.findLastIndex(({ kind }) => kind === "turn") + 1).filter(isNews),
    stopped: since.some((item) => item.kind === "result" && wasInterrupted(item)),
    said: turns.map(({ text }) => text).join("\n"),
    calls: turns.reduce((sum, turn) => sum + turn.calls, 0),
  };
};
