import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { eventTool } from "../scripted/strict/check.ts";
import { isElsewhere, lastReportIn, type Seed, seedIn, spawnedIn, stackIn, trueStackIn } from "./family.ts";
import type { Heard } from "./intent.ts";
import { intentOf } from "./intents.ts";

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
type Result = Extract<News, { kind: "result" }>;

/** A prompt, read for what matters to a reply. */
export interface Scene {
  /** The texts of the last time the user wrote, or of a child's parent, in order. */
  readonly asked: readonly string[];
  /** Turns of the model since then, each with what became of its calls. */
  readonly turnsSince: readonly (readonly Result[])[];
  readonly news: readonly News[];
  /** How the thread began when it is a child, unless its user wrote to it since. */
  readonly child: Seed | undefined;
  /** The threads from the root to this one, as far as it was told. */
  readonly stack: readonly string[] | undefined;
  /** Subscriptions and children that more is to be heard of. */
  readonly awaited: number;
  /** Children that the thread has spawned. */
  readonly spawned: number;
  /** The user stopped the model since then, and wrote nothing. */
  readonly stopped: boolean;
  /** Everything the model has said. */
  readonly said: string;
  /** Calls the model has made; the next ids are made from it. */
  readonly calls: number;
}

type Args = Readonly<Record<string, unknown>>;
type Item =
  | { readonly kind: "asked"; readonly text: string; readonly by: "user" | "parent" }
  | { readonly kind: "seed"; readonly seed: Seed }
  | { readonly kind: "turn"; readonly text: string; readonly calls: number }
  | News;

const asArgs = (value: unknown): Args =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Args) : {};

/** What was spawned says itself who it comes from; what comes from nobody, of a spawning call, is the parent's message. */
const heard = (source: Args, text: string): Item => {
  const tool = String(source.original_tool_name);
  const from = typeof source.from_thread === "string" ? source.from_thread : undefined;
  if (from === undefined && tool === spawnTool) return { kind: "asked", text, by: "parent" };
  const report = from === undefined ? undefined : lastReportIn(text);
  const args = asArgs(source.original_args);
  const event = { tool, args, text: report ?? text, ...(from !== undefined && { from }) };
  return { kind: "event", event: report === undefined ? event : { ...event, ended: true } };
};

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

const spawnTool = "spawn_thread";

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
  const seed = rest.length > 0 && first.startsWith("[") ? seedIn(rest.join("\n")) : undefined;
  if (seed) return { kind: "seed", seed };
  const own = rest.length > 0 && /^\[.*\]$/s.test(first) ? rest : texts;
  return { kind: "asked", text: own.join("\n"), by: "user" };
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
      const seed = tool === spawnTool ? seedIn(text) : undefined;
      if (seed) items.push({ kind: "seed", seed });
      else if (tool === eventTool) items.push(heard(args, text));
      else if (!isElsewhere(text)) items.push({ kind: "result", tool, args, text, error: isError(part.output, text) });
    }
  }
  return items;
};

/** The call had no result of its own: the user wrote or stopped it. */
export const wasInterrupted = ({ text }: { readonly text: string }): boolean => /^interrupted\b/i.test(text);

/** The wait was ended by something that came before its time. */
export const wasWokenEarly = ({ text }: { readonly text: string }): boolean => /^woken early\b/i.test(text);

const isNews = (item: Item): item is News => item.kind === "event" || item.kind === "result";

/** What the thread itself lived through: a child begins with its seed, and what it is told there is asked of it. */
const ownOf = (items: readonly Item[]): { readonly seed: Seed | undefined; readonly own: readonly Item[] } => {
  const start = items.findLastIndex(({ kind }) => kind === "seed");
  const begin = items[start];
  if (begin?.kind !== "seed") return { seed: undefined, own: items };
  const { seed } = begin;
  const { instructions } = seed;
  const own = items.slice(start + 1);
  return {
    seed,
    own: instructions === undefined ? own : [{ kind: "asked", text: instructions, by: "parent" }, ...own],
  };
};

/** The turns of a part of a conversation, each with the results of its calls. */
const turnsOf = (items: readonly Item[]): Result[][] => {
  const turns: Result[][] = [];
  for (const item of items) {
    if (item.kind === "turn") turns.push([]);
    if (item.kind === "result") turns.at(-1)?.push(item);
  }
  return turns;
};

/** Subscriptions and children whose last word has not come. Where several are alike, one last word is for one of them. */
const awaitedIn = (items: readonly Item[]): number => {
  const keyOf = ({ tool, args }: Pick<Heard, "tool" | "args">) => JSON.stringify([tool, args]);
  const open: string[] = [];
  for (const item of items) {
    if (item.kind === "result" && !item.error && !wasInterrupted(item) && intentOf(item.tool).ends)
      open.push(keyOf(item));
    if (item.kind !== "event" || !intentOf(item.event.tool).ends?.(item.event)) continue;
    const index = open.indexOf(keyOf(item.event));
    if (index >= 0) open.splice(index, 1);
  }
  return open.length;
};

export const sceneOf = (prompt: LanguageModelV4Prompt): Scene => {
  const items = itemsOf(prompt);
  const { seed, own } = ownOf(items);
  const lastAsked = own.findLastIndex(({ kind }) => kind === "asked");
  const before = own.slice(0, Math.max(0, lastAsked)).findLastIndex(({ kind }) => kind === "turn");
  const since = own.slice(lastAsked + 1);
  const turns = items.filter((item) => item.kind === "turn");
  const results = own.filter((item) => item.kind === "result");
  const instructed = prompt.map((message) => (message.role === "system" ? stackIn(message.content) : undefined))[0];
  const isUsers = own.some((item) => item.kind === "asked" && item.by === "user");
  return {
    asked: own.slice(before + 1, lastAsked + 1).flatMap((item) => (item.kind === "asked" ? [item.text] : [])),
    turnsSince: turnsOf(since),
    news: own.slice(own.findLastIndex(({ kind }) => kind === "turn") + 1).filter(isNews),
    child: isUsers ? undefined : seed,
    stack:
      seed?.stack ??
      instructed ??
      results.map(({ text }) => trueStackIn(text)).findLast((stack) => stack !== undefined),
    awaited: awaitedIn(own),
    spawned: results.filter(({ text }) => spawnedIn(text) !== undefined).length,
    stopped: since.some((item) => item.kind === "result" && wasInterrupted(item)),
    said: turns.map(({ text }) => text).join("\n"),
    calls: turns.reduce((sum, turn) => sum + turn.calls, 0),
  };
};
