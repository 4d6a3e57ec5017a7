import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { PlacedEntry, ResultEntry } from "../../../machines/history/entry.ts";
import type { Json } from "../../../machines/history/json.ts";
import { eventTool, imagePlaceholder, interruptionNote, stillRunning } from "../../../machines/history/wording.ts";
import { sourceOfBlock } from "../../prompt/event.ts";
import { type NamedCall, namedCalls } from "./calls.ts";
import type { SeenContent, SeenMessage } from "./messages.ts";
import { contentOf } from "./stored-messages.ts";

/** What is known of the calls of one prompt, by the id that the prompt gives them. */
interface PromptCalls {
  readonly named: ReadonlyMap<string, NamedCall>;
  readonly results: ReadonlyMap<string, ResultEntry>;
  /** Arguments of the event that a call stands for. */
  readonly events: ReadonlyMap<string, Json>;
}

type Part<R extends LanguageModelV4Message["role"]> = Exclude<
  Extract<LanguageModelV4Message, { role: R }>["content"],
  string
>[number];

/** Calls of the prompt meet those of the entries by their order: ids of a prompt say nothing certain. */
const callsOf = (prompt: LanguageModelV4Prompt, entries: readonly PlacedEntry[]): PromptCalls => {
  const made = namedCalls(entries);
  const results = new Map<string, ResultEntry>();
  for (const { entry } of entries) if (entry.kind === "result") results.set(entry.callId, entry);
  const named = new Map<string, NamedCall>();
  const events = new Map<string, Json>();
  let next = 0;
  for (const message of prompt)
    for (const part of message.role === "assistant" ? message.content : []) {
      if (part.type !== "tool-call" || part.providerExecuted) continue;
      const event = part.toolName === eventTool && isEvent(part.input, made[next]);
      if (event) events.set(part.toolCallId, part.input as Json);
      else {
        const call = made[next++];
        if (call) named.set(part.toolCallId, call);
      }
    }
  return { named, results, events };
};

/** A model can call the reserved name too; such a call stands in the history, one for an event does not. */
const isEvent = (input: unknown, next: NamedCall | undefined): boolean =>
  next?.tool !== eventTool || (typeof input === "object" && input !== null && "original_tool_call_id" in input);

const sourceFields = (source: Json | undefined, { named }: PromptCalls) => {
  const { original_tool_call_id: id, original_tool_name: tool, original_args: args } = (source ?? {}) as Record<string, Json>;
  return {
    source_call: (typeof id === "string" ? named.get(id)?.label : undefined) ?? String(id ?? ""),
    source_tool: String(tool ?? ""),
    source_args: args ?? null,
  };
};

const userMessages = (parts: readonly Part<"user">[], place: number, calls: PromptCalls): readonly SeenMessage[] => {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const [first = "", ...rest] = texts;
  const source = sourceOfBlock(first);
  if (source) {
    const about = { ...sourceFields(source, calls), pair: `block ${place}` };
    return [
      { role: "assistant", kind: "event_call", ...about, turn: -1 - place },
      { role: "tool", kind: "event_result", ...about, text: rest.join("\n") },
    ];
  }
  const interrupt = first === interruptionNote && rest.length > 0;
  return (interrupt ? rest : texts).map((text) => ({ role: "user", kind: "text", text, interrupt }));
};

const assistantMessages = (parts: readonly Part<"assistant">[], place: number, calls: PromptCalls): readonly SeenMessage[] =>
  parts.flatMap((part): readonly SeenMessage[] => {
    if (part.type === "text" || part.type === "reasoning") return [{ role: "assistant", kind: part.type, text: part.text }];
    if (part.type !== "tool-call" || part.providerExecuted) return [];
    const { toolCallId: pair, toolName: name, input } = part;
    const event = calls.events.get(pair);
    if (event !== undefined)
      return [{ role: "assistant", kind: "event_call", name, ...sourceFields(event, calls), pair, turn: -1 - place }];
    const known = calls.named.get(pair);
    const args = input as Json;
    // The turn as the prompt shows it: calls in one assistant message stand side by side.
    return [{ role: "assistant", kind: "tool_call", name, call: known?.label ?? pair, args, pair, turn: known?.turn ?? -1 - place }];
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
      return [{ role: "tool", kind: "event_result", name, ...sourceFields(event, calls), text: textOfOutput(output), pair }];
    const known = calls.named.get(pair);
    const stored = known && calls.results.get(known.callId);
    // A prompt keeps a place for a result that is not there yet. To a request it is a call without one.
    if (known && !stored && textOfOutput(output) === stillRunning) return [];
    return [
      {
        role: "tool",
        kind: "tool_result",
        name,
        call: known?.label ?? pair,
        ...(stored && { origin: stored.origin }),
        text: textOfOutput(output),
        content: contentOfOutput(output, stored),
        pair,
      },
    ];
  });

/**
 * A request, flat, in the words of the format. The prompt is what counts; `entries` (the history it was made of) say only
 * which call is which and where results come from.
 */
export const requestMessages = (
  prompt: LanguageModelV4Prompt,
  entries: readonly PlacedEntry[],
): readonly SeenMessage[] => {
  const calls = callsOf(prompt, entries);
  return prompt.flatMap((message, place): readonly SeenMessage[] => {
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
  });
};
