import type { LanguageModelV4Prompt, LanguageModelV4ToolCallPart } from "@ai-sdk/provider";
import type { PlacedEntry, ResultEntry } from "../../../machines/history/entry.ts";
import { spawnTool } from "../../../machines/history/family-wording.ts";
import type { Json } from "../../../machines/history/json.ts";
import { eventTool } from "../../../machines/history/wording.ts";
import { sourceOfBlock } from "../../prompt/event.ts";
import { legalName } from "../../prompt/ids.ts";
import { argsOfSeedBlock } from "../../prompt/seed.ts";
import { type NamedCall, namedCalls } from "./calls.ts";

/** What is known of the calls of one prompt, by the id that the prompt gives them. */
export interface PromptCalls {
  readonly named: ReadonlyMap<string, NamedCall>;
  readonly results: ReadonlyMap<string, ResultEntry>;
  /** Arguments of the event that a call stands for. */
  readonly events: ReadonlyMap<string, Json>;
  /** Calls that stand for the opening of an event's child. */
  readonly seeds: ReadonlySet<string>;
}

type Made = NamedCall | "event" | "seed";

const toolOf = (made: Made): string => {
  if (made === "event") return eventTool;
  return made === "seed" ? spawnTool : legalName(made.tool);
};

const callParts = (prompt: LanguageModelV4Prompt): readonly LanguageModelV4ToolCallPart[] =>
  prompt.flatMap((message) =>
    message.role === "assistant"
      ? message.content.filter((part) => part.type === "tool-call" && !part.providerExecuted)
      : [],
  ) as readonly LanguageModelV4ToolCallPart[];

const tellsEventsAsText = (prompt: LanguageModelV4Prompt): boolean =>
  prompt.some(({ role, content }) => {
    const first = role === "user" ? content[0] : undefined;
    if (first?.type !== "text") return false;
    return sourceOfBlock(first.text) !== undefined || argsOfSeedBlock(first.text) !== undefined;
  });

/** The calls and, where they are shown as calls, the events and the seed of a history, in order. */
const madeIn = (entries: readonly PlacedEntry[], asText: boolean): readonly Made[] => {
  const calls = namedCalls(entries);
  return entries.flatMap(({ position, entry }): readonly Made[] => {
    if (entry.kind === "event" || entry.kind === "seed") return asText ? [] : [entry.kind];
    return entry.kind === "turn" ? calls.filter(({ turn }) => turn === position) : [];
  });
};

/**
 * Calls of the prompt meet those of the history by their order and name: an id of a prompt says nothing certain. What
 * the prompt left out is passed over.
 */
export const callsOfPrompt = (prompt: LanguageModelV4Prompt, entries: readonly PlacedEntry[]): PromptCalls => {
  const results = new Map<string, ResultEntry>();
  for (const { entry } of entries) if (entry.kind === "result") results.set(entry.callId, entry);
  const named = new Map<string, NamedCall>();
  const events = new Map<string, Json>();
  const seeds = new Set<string>();
  const made = madeIn(entries, tellsEventsAsText(prompt));
  let next = 0;
  for (const { toolCallId, toolName, input } of callParts(prompt)) {
    const at = made.findIndex((one, index) => index >= next && toolName === toolOf(one));
    const one = made[at];
    if (one !== undefined) next = at + 1;
    if (one === "event") events.set(toolCallId, input as Json);
    else if (one === "seed") seeds.add(toolCallId);
    else if (one) named.set(toolCallId, one);
  }
  return { named, results, events, seeds };
};
