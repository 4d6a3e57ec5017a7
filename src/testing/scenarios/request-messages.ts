import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { PlacedEntry, ResultEntry } from "../../../machines/history/entry.ts";
import { spawnTool } from "../../../machines/history/family-wording.ts";
import type { Json } from "../../../machines/history/json.ts";
import { imagePlaceholder, interruptionNote, stillRunning, summaryNote } from "../../../machines/history/wording.ts";
import { sourceOfBlock } from "../../prompt/event.ts";
import { argsOfSeedBlock } from "../../prompt/seed.ts";
import type { SeenContent, SeenMessage } from "./messages.ts";
import { callsOfPrompt, type PromptCalls } from "./prompt-calls.ts";
import { contentOf } from "./stored-messages.ts";

type Part<R extends LanguageModelV4Message["role"]> = Exclude<
  Extract<LanguageModelV4Message, { role: R }>["content"],
  string
>[number];

const sourceFields = (source: Json | undefined, { named }: PromptCalls) => {
  const {
    original_tool_call_id: id,
    original_tool_name: tool,
    original_args: args,
  } = (source ?? {}) as Record<string, Json>;
  return {
    source_call: (typeof id === "string" ? named.get(id)?.label : undefined) ?? String(id ?? ""),
    source_tool: String(tool ?? ""),
    source_args: args ?? null,
  };
};

const seedCall = (args: Json, pair: string, place: number): SeenMessage => ({
  role: "assistant",
  kind: "seed_call",
  name: spawnTool,
  args,
  pair,
  turn: -1 - place,
});

const seedResult = (text: string, pair: string): SeenMessage => ({
  role: "tool",
  kind: "seed_result",
  name: spawnTool,
  origin: "spawn_seed",
  text,
  pair,
});

const userMessages = (parts: readonly Part<"user">[], place: number, calls: PromptCalls): readonly SeenMessage[] => {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const [first = "", ...rest] = texts;
  if (first === summaryNote) {
    const [summary = "", ...behind] = rest;
    return [
      { role: "user", kind: "summary", text: summary },
      ...behind.map((text): SeenMessage => ({ role: "user", kind: "text", text })),
    ];
  }
  const source = sourceOfBlock(first);
  if (source) {
    const about = { ...sourceFields(source, calls), pair: `block ${place}` };
    return [
      { role: "assistant", kind: "event_call", ...about, turn: -1 - place },
      { role: "tool", kind: "event_result", ...about, text: rest.join("\n") },
    ];
  }
  const seed = argsOfSeedBlock(first);
  if (seed) return [seedCall(seed, `block ${place}`, place), seedResult(rest.join("\n"), `block ${place}`)];
  const interrupt = first === interruptionNote && rest.length > 0;
  return (interrupt ? rest : texts).map((text) => ({ role: "user", kind: "text", text, interrupt }));
};

const assistantMessages = (
  parts: readonly Part<"assistant">[],
  place: number,
  calls: PromptCalls,
): readonly SeenMessage[] =>
  parts.flatMap((part): readonly SeenMessage[] => {
    if (part.type === "text" || part.type === "reasoning")
      return [{ role: "assistant", kind: part.type, text: part.text }];
    // What a provider made itself has no word in the format.
    if (part.type !== "tool-call" || part.providerExecuted)
      return [{ role: "assistant", kind: "text", text: `[${part.type}]` }];
    const { toolCallId: pair, toolName: name, input } = part;
    const event = calls.events.get(pair);
    if (event !== undefined)
      return [{ role: "assistant", kind: "event_call", name, ...sourceFields(event, calls), pair, turn: -1 - place }];
    if (calls.seeds.has(pair)) return [seedCall(input as Json, pair, place)];
    const known = calls.named.get(pair);
    const args = input as Json;
    // The turn as the prompt shows it: calls in one assistant message stand side by side.
    return [
      {
        role: "assistant",
        kind: "tool_call",
        name: known?.tool ?? name,
        call: known?.label ?? pair,
        args,
        pair,
        turn: known?.turn ?? -1 - place,
      },
    ];
  });

type Output = LanguageModelV4ToolResultPart["output"];

const textOfOutput = (output: Output): string => {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "content":
      return output.value.map((item) => (item.type === "text" ? item.text : `[${item.type}]`)).join("\n");
    case "execution-denied":
      return output.reason ?? "";
    default:
      return JSON.stringify(output.value);
  }
};

/** The items of a result as the model gets them: texts that stand in one block count as the items they are of. */
const contentOfOutput = (output: Output, stored: ResultEntry | undefined): readonly SeenContent[] => {
  if (output.type === "content")
    return output.value.flatMap((item): readonly SeenContent[] => {
      if (item.type === "text") return [{ type: "text", text: item.text }];
      if (item.type !== "file") return [];
      const data = item.data.type === "data" && typeof item.data.data === "string" ? item.data.data : "";
      return [{ type: "image", data, media_type: item.mediaType }];
    });
  const text = textOfOutput(output);
  if (!stored) return [{ type: "text", text }];
  const shown = stored.content.map((item) => (item.type === "text" ? item.text : imagePlaceholder(item.mediaType)));
  if (shown.join("\n") !== text) return [{ type: "text", text }];
  return contentOf(stored.content).map((item) => (item.type === "image" ? { type: "image_placeholder" } : item));
};

const toolMessages = (parts: readonly Part<"tool">[], calls: PromptCalls): readonly SeenMessage[] =>
  parts.flatMap((part): readonly SeenMessage[] => {
    if (part.type !== "tool-result") return [];
    const { toolCallId: pair, toolName: name, output } = part;
    const event = calls.events.get(pair);
    if (event !== undefined)
      return [
        { role: "tool", kind: "event_result", name, ...sourceFields(event, calls), text: textOfOutput(output), pair },
      ];
    if (calls.seeds.has(pair)) return [seedResult(textOfOutput(output), pair)];
    const known = calls.named.get(pair);
    const stored = known && calls.results.get(known.callId);
    // A prompt keeps a place for a result that is not there yet. To a request it is a call without one.
    if (known && !stored && textOfOutput(output) === stillRunning) return [];
    return [
      {
        role: "tool",
        kind: "tool_result",
        name: known?.tool ?? name,
        call: known?.label ?? pair,
        ...(stored && { origin: stored.origin }),
        text: textOfOutput(output),
        content: contentOfOutput(output, stored),
        pair,
      },
    ];
  });

const messagesIn = (message: LanguageModelV4Message, place: number, calls: PromptCalls): readonly SeenMessage[] => {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return userMessages(message.content, place, calls);
    case "assistant":
      return assistantMessages(message.content, place, calls);
    case "tool":
      return toolMessages(message.content, calls);
  }
};

/**
 * A request, flat, in the words of the format. The prompt is what counts; `entries` (the history it was made of) say only
 * which call is which and where results come from.
 */
export const requestMessages = (
  prompt: LanguageModelV4Prompt,
  entries: readonly PlacedEntry[],
): readonly SeenMessage[] => {
  const calls = callsOfPrompt(prompt, entries);
  return prompt.flatMap((message, place) => messagesIn(message, place, calls));
};
