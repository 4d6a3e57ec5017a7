import { ContentItem, DisplaySegment, type Entry, EventSource, Origin, TurnPart } from "./entry.ts";
import { CallId, ThreadId } from "./ids.ts";
import { JsonObject } from "./json.ts";
import { jsonPrefix } from "./json-prefix.ts";
import { recoveredNote, repairedText } from "./wording.ts";

type Fields = { readonly [field: string]: unknown };

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * What can be read of an entry that does not parse, as an entry: the person's words stay the person's, the model's the
 * model's. Text whose kind cannot be told is a note. Undefined when there is nothing to read. `at`: the instant for entries
 * that have lost theirs.
 */
export const recovered = (stored: string, at: number): Entry | undefined => {
  const value = parsedOf(stored);
  const entry = isObject(value) ? entryOf(value, typeof value.at === "number" ? value.at : at) : undefined;
  if (entry) return entry;
  const texts = textsIn(stored);
  return texts.length > 0 ? note(texts.join("\n"), at) : undefined;
};

const parsedOf = (stored: string): unknown => {
  try {
    return JSON.parse(stored);
  } catch {
    const begin = stored.indexOf("{");
    return begin < 0 ? undefined : jsonPrefix(stored.slice(begin));
  }
};

const note = (text: string, at: number): Entry => ({ kind: "user", at, text: recoveredNote(text), repaired: 1 });

const entryOf = (value: Fields, at: number): Entry | undefined => {
  switch (value.kind) {
    case "user":
      return userOf(value, at);
    case "turn": {
      const parts = listOf(value.parts).flatMap(partOf);
      return parts.length > 0 ? { kind: "turn", at, parts } : undefined;
    }
    case "result":
      return resultOf(value, at);
    case "event": {
      const source = EventSource.safeParse(value.source);
      const from = ThreadId.safeParse(value.from);
      if (!source.success || !isText(value.text)) return undefined;
      const final = value.final === true && { final: true as const };
      return {
        kind: "event",
        at,
        source: source.data,
        text: value.text,
        ...final,
        ...(from.success && { from: from.data }),
      };
    }
    case "seed": {
      const callId = CallId.safeParse(value.callId);
      const args = JsonObject.safeParse(value.args);
      if (!callId.success || !isText(value.text)) return undefined;
      return { kind: "seed", at, callId: callId.data, args: args.success ? args.data : {}, text: value.text };
    }
    default:
      return undefined;
  }
};

const userOf = ({ text, interrupt, metadata }: Fields, at: number): Entry | undefined => {
  if (!isText(text)) return undefined;
  const kept = JsonObject.safeParse(metadata);
  return {
    kind: "user",
    at,
    text,
    ...(interrupt === true && { interrupt: true as const }),
    ...(kept.success && { metadata: kept.data }),
  };
};

/** A call keeps its place among the others as long as its id and its name can be read. */
const partOf = (value: unknown): TurnPart[] => {
  const whole = TurnPart.safeParse(value);
  if (whole.success) return [whole.data];
  if (!isObject(value)) return [];
  const { type, text, callId, name, args, providerCallId } = value;
  if (type === "text") return isText(text) ? [{ type, text }] : [];
  const id = CallId.safeParse(callId);
  if (type !== "call" || !id.success || typeof name !== "string") return [];
  const given = JsonObject.safeParse(args);
  return [
    {
      type,
      callId: id.data,
      providerCallId: typeof providerCallId === "string" ? providerCallId : "",
      name,
      args: given.success ? given.data : {},
    },
  ];
};

const resultOf = ({ callId, name, origin, content, error, display }: Fields, at: number): Entry | undefined => {
  const id = CallId.safeParse(callId);
  if (!id.success) return undefined;
  const from = Origin.safeParse(origin);
  const items = listOf(content).flatMap((item) => {
    const read = ContentItem.safeParse(item);
    return read.success ? [read.data] : [];
  });
  const segments = DisplaySegment.array().safeParse(display);
  return {
    kind: "result",
    at,
    callId: id.data,
    name: typeof name === "string" ? name : "",
    origin: from.success ? from.data : "repaired",
    content: items.length > 0 ? items : repairedText(),
    ...((error === true || items.length === 0) && { error: true as const }),
    ...(segments.success && { display: segments.data }),
  };
};

/** Texts that stand somewhere in what is no JSON as a whole. */
const textsIn = (stored: string): string[] =>
  [...stored.matchAll(/"text"\s*:\s*(?=")/g)].flatMap(({ index, 0: { length } }) => {
    const text = jsonPrefix(stored.slice(index + length));
    return isText(text) ? [text] : [];
  });
