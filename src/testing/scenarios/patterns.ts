import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { ContentItem, Entry, EventEntry, PlacedEntry, TurnPart } from "../../../machines/history/entry.ts";
import type { CallId } from "../../../machines/history/ids.ts";
import type { Json } from "../../../machines/history/json.ts";
import { eventTool, interruptionNote } from "../../../machines/history/wording.ts";
import { sourceOfBlock } from "../../prompt/event.ts";
import type { SeenContent, SeenMessage } from "./messages.ts";

interface Source {
  readonly source_call: string;
  readonly source_tool: string;
  readonly source_args: Json;
}

const textOfSeen = (content: readonly SeenContent[]): string =>
  content.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n");

const pairOf = (source: Source, text: string, turn: number): SeenMessage[] => {
  const shared = { name: eventTool, pair: `event ${turn}`, turn };
  const { source_call } = source;
  return [
    { role: "assistant", kind: "event_call", ...source, ...shared },
    { role: "tool", kind: "event_result", source_call, text, ...shared },
  ];
};

const sourceFrom = (args: unknown): Source => {
  const { original_tool_name, original_tool_call_id, original_args } = args as Record<string, Json>;
  return {
    source_call: String(original_tool_call_id),
    source_tool: String(original_tool_name),
    source_args: original_args ?? null,
  };
};

/** Lines that are a placeholder stand for an image; the lines between them are one text each. */
const itemsOf = (text: string): SeenContent[] =>
  text
    .split(/^(\[image [^\s\]]+\])$/m)
    .map((piece) => piece.replace(/^\n|\n$/g, ""))
    .filter((piece) => piece !== "")
    .map((piece) =>
      /^\[image [^\s\]]+\]$/.test(piece) ? { type: "image_placeholder" } : { type: "text", text: piece },
    );

const contentOf = ({ output }: LanguageModelV4ToolResultPart): SeenContent[] => {
  if (output.type === "text" || output.type === "error-text") return itemsOf(output.value);
  if (output.type !== "content") return [{ type: "text", text: JSON.stringify(output) }];
  return output.value.flatMap((item): SeenContent[] => {
    if (item.type === "text") return [{ type: "text", text: item.text }];
    if (item.type !== "file" || item.data.type !== "data") return [];
    return [{ type: "image", data: String(item.data.data), media_type: item.mediaType }];
  });
};

/** `turn`: the message's index, which calls of one turn share. `sources`: of the event pairs so far, by call id. */
const seenIn = (message: LanguageModelV4Message, turn: number, sources: Map<string, Source>): SeenMessage[] => {
  if (message.role === "system") return [];
  if (message.role === "user") {
    const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const [first = "", second] = texts;
    const args = second === undefined ? undefined : sourceOfBlock(first);
    if (args && second !== undefined) return pairOf(sourceFrom(args), second, turn);
    if (first === interruptionNote && second !== undefined)
      return [{ role: "user", kind: "text", interrupt: true, text: second }];
    return [{ role: "user", kind: "text", text: texts.join("\n") }];
  }
  if (message.role === "assistant")
    return message.content.flatMap((part): SeenMessage[] => {
      if (part.type === "text" || part.type === "reasoning")
        return [{ role: "assistant", kind: part.type, text: part.text }];
      if (part.type !== "tool-call" || part.providerExecuted) return [];
      const { toolCallId: call, toolName: name, input } = part;
      // A model may have called the reserved name itself; what stands for an event names a source.
      if (name !== eventTool || !Object.hasOwn(Object(input), "original_tool_call_id"))
        return [{ role: "assistant", kind: "tool_call", name, call, args: input as Json, pair: call, turn }];
      const source = sourceFrom(input);
      sources.set(call, source);
      return [{ role: "assistant", kind: "event_call", name, ...source, pair: call, turn }];
    });
  return message.content.flatMap((part): SeenMessage[] => {
    if (part.type !== "tool-result") return [];
    const { toolCallId: call, toolName: name } = part;
    const content = contentOf(part);
    const seen = { name, text: textOfSeen(content), pair: call };
    const source = sources.get(call);
    if (source) return [{ role: "tool", kind: "event_result", source_call: source.source_call, ...seen }];
    return [{ role: "tool", kind: "tool_result", call, content, ...seen }];
  });
};

/**
 * What a request shows, entry by entry, as the scenario format names it: the system prompt is none, an event that is
 * shown as a text block counts as the pair it stands for. Calls go by their ids in the prompt; origins are not in it.
 */
export const patternsOf = (prompt: LanguageModelV4Prompt): SeenMessage[] => {
  const sources = new Map<string, Source>();
  return prompt.flatMap((message, index) => seenIn(message, index, sources));
};

/** Calls as scenarios name them: the id the model gave, and `c1@2` for the second call with the id `c1`. */
export const callNames = (entries: readonly PlacedEntry[]): ReadonlyMap<CallId, string> => {
  const times = new Map<string, number>();
  return new Map(
    callsIn(entries).map(({ callId, providerCallId }) => {
      const nth = (times.get(providerCallId) ?? 0) + 1;
      times.set(providerCallId, nth);
      return [callId, nth === 1 ? providerCallId : `${providerCallId}@${nth}`];
    }),
  );
};

const callsIn = (entries: readonly PlacedEntry[]) =>
  entries.flatMap(({ entry }) => (entry.kind === "turn" ? entry.parts.filter((part) => part.type === "call") : []));

const sourceNamed = ({ source }: EventEntry, names: ReadonlyMap<CallId, string>): Source => ({
  source_call: names.get(source.callId) ?? source.providerCallId,
  source_tool: source.name,
  source_args: source.args,
});

const seenItem = (item: ContentItem): SeenContent =>
  item.type === "text" ? item : { type: "image", data: item.data, media_type: item.mediaType };

const seenPart = (part: TurnPart, turn: number, names: ReadonlyMap<CallId, string>): SeenMessage[] => {
  if (part.type === "provided") return [];
  if (part.type !== "call") return [{ role: "assistant", kind: part.type, text: part.text }];
  const { callId, providerCallId, name, args } = part;
  const call = names.get(callId) ?? providerCallId;
  return [{ role: "assistant", kind: "tool_call", name, call, args, pair: callId, turn }];
};

const seenEntry = (entry: Entry, position: number, names: ReadonlyMap<CallId, string>): SeenMessage[] => {
  if (entry.kind === "turn") return entry.parts.flatMap((part) => seenPart(part, position, names));
  if (entry.kind === "event") return pairOf(sourceNamed(entry, names), entry.text, position);
  if (entry.kind === "user")
    return [{ role: "user", kind: "text", text: entry.text, ...(entry.interrupt && { interrupt: true }) }];
  const { callId, name, origin } = entry;
  const content = entry.content.map(seenItem);
  const call = names.get(callId) ?? callId;
  return [{ role: "tool", kind: "tool_result", name, call, origin, content, text: textOfSeen(content), pair: callId }];
};

/** A stored history in the same form: parts of a turn as they were stored, results with their origin. */
export const patternsOfHistory = (entries: readonly PlacedEntry[]): SeenMessage[] => {
  const names = callNames(entries);
  return entries.flatMap(({ position, entry }) => seenEntry(entry, position, names));
};

/**
 * A request with what only its history knows: calls and sources by their scenario names, tools by the names the model
 * wrote, results with their origin. `entries`: all that the prompt was built from, ascending. Calls and events are
 * matched by their order, which is the same in both, whatever ids the prompt gave them; all else is the prompt's own.
 */
export const patternsOfRequest = (prompt: LanguageModelV4Prompt, entries: readonly PlacedEntry[]): SeenMessage[] => {
  const seen = patternsOf(prompt);
  const names = callNames(entries);
  const calls = callsIn(entries);
  const shown = seen.flatMap(({ kind, call }) => (kind === "tool_call" && call !== undefined ? [call] : []));
  const callOf = new Map(shown.map((id, index) => [id, calls[index]]));
  const origins = new Map(
    entries.flatMap(({ entry }) => (entry.kind === "result" ? [[entry.callId, entry.origin] as const] : [])),
  );
  const sources = entries.flatMap(({ entry }) => (entry.kind === "event" ? [sourceNamed(entry, names)] : []));
  let events = -1;
  return seen.map((message): SeenMessage => {
    if (message.kind === "event_call") events++;
    const source = sources[events];
    if (message.kind === "event_call" && source) return { ...message, ...source };
    if (message.kind === "event_result" && source) return { ...message, source_call: source.source_call };
    const call = message.call === undefined ? undefined : callOf.get(message.call);
    if (!call) return message;
    const named = { ...message, name: call.name, call: names.get(call.callId) ?? call.providerCallId };
    const origin = message.kind === "tool_result" ? origins.get(call.callId) : undefined;
    return origin ? { ...named, origin } : named;
  });
};
