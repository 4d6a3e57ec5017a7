import { z } from "zod";
import { CallId, ThreadId } from "./ids.ts";
import { Json, JsonObject } from "./json.ts";

/** Where a result comes from; stored with it. */
export const Origin = z.enum([
  "tool",
  "sync",
  "spawned",
  "spawn_seed",
  "elsewhere",
  "ack",
  "timer",
  "interrupted",
  "denied",
  "not_executed",
  "unknown_tool",
  "reserved_tool",
  "validation",
  "dispatch_failed",
  "http_error",
  "restart",
  "repaired",
]);
export type Origin = z.infer<typeof Origin>;

/** What a result says to the model. `data` of an image is base64. */
export const ContentItem = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mediaType: z.string() }),
]);
export type ContentItem = z.infer<typeof ContentItem>;

/** What a person sees instead of the content; the first segment a viewer supports wins. */
export const DisplaySegment = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), content: z.string() }),
  z.object({ type: z.literal("diff"), content: z.object({ path: z.string(), patch: z.string() }) }),
  z.object({ type: z.literal("image"), content: z.object({ data: z.string(), mediaType: z.string() }) }),
]);
export type DisplaySegment = z.infer<typeof DisplaySegment>;

/** The call that a subscription, a report or a message goes back to; it outlives the turn that made it. */
export const EventSource = z.object({
  callId: CallId,
  providerCallId: z.string(),
  name: z.string(),
  args: JsonObject,
});
export type EventSource = z.infer<typeof EventSource>;

/** Opaque to us: stored as the provider gave it and sent back untouched. */
const ProviderMetadata = z.record(z.string(), JsonObject);

export const TurnPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), providerMetadata: ProviderMetadata.optional() }),
  z.object({ type: z.literal("reasoning"), text: z.string(), providerMetadata: ProviderMetadata.optional() }),
  z.object({
    type: z.literal("call"),
    callId: CallId,
    providerCallId: z.string(),
    name: z.string(),
    args: JsonObject,
    /** What the model wrote, when it was no JSON object; `args` is `{}` then. */
    raw: z.string().optional(),
    /** How the call is shown to people; `name(args)` when absent. */
    display: z.string().optional(),
    providerMetadata: ProviderMetadata.optional(),
  }),
  /** Content that the provider made itself (its own tools, sources, files): `part` is a prompt part to send back. */
  z.object({ type: z.literal("provided"), part: Json }),
]);
export type TurnPart = z.infer<typeof TurnPart>;
export type CallPart = Extract<TurnPart, { type: "call" }>;

/** One entry of a thread's stored history. `at` is the instant (ms since the epoch) of what it records. */
export const Entry = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("user"),
    at: z.number(),
    text: z.string(),
    /** The text cut a streaming round short. */
    interrupt: z.literal(true).optional(),
    metadata: JsonObject.optional(),
    /**
     * No person wrote this: a repair did, in place of what was lost or set aside. It accounts for so many positions from its
     * own on, of which the others stay empty.
     */
    repaired: z.number().int().positive().optional(),
  }),
  z.object({ kind: z.literal("turn"), at: z.number(), parts: z.array(TurnPart).min(1) }),
  z.object({
    kind: z.literal("result"),
    at: z.number(),
    callId: CallId,
    name: z.string(),
    origin: Origin,
    content: z.array(ContentItem),
    /** The model is told that the call went wrong. */
    error: z.literal(true).optional(),
    display: z.array(DisplaySegment).optional(),
  }),
  z.object({
    kind: z.literal("event"),
    at: z.number(),
    source: EventSource,
    text: z.string(),
    final: z.literal(true).optional(),
    /** The child that a report comes from. */
    from: ThreadId.optional(),
  }),
  /** Opens the history of an event's child, behind what it inherits: shown as a call of `spawn_thread` and its result. */
  z.object({ kind: z.literal("seed"), at: z.number(), callId: CallId, args: JsonObject, text: z.string() }),
]);
export type Entry = z.infer<typeof Entry>;
export type UserEntry = Extract<Entry, { kind: "user" }>;
export type TurnEntry = Extract<Entry, { kind: "turn" }>;
export type ResultEntry = Extract<Entry, { kind: "result" }>;
export type SeedEntry = Extract<Entry, { kind: "seed" }>;
export type EventEntry = Extract<Entry, { kind: "event" }>;

/**
 * An entry at its place. A turn with n calls at position p reserves p+1 … p+n for their results, in the order of the
 * calls, so a result that comes late still stands where R5 wants it, and a history is read by ascending position. The
 * positions that are reserved and not yet taken are exactly the outstanding calls of the last turn.
 */
export const PlacedEntry = z.object({ position: z.number().int().nonnegative(), entry: Entry });
export type PlacedEntry = z.infer<typeof PlacedEntry>;

export const callsOf = (turn: TurnEntry): CallPart[] => turn.parts.filter((part) => part.type === "call");

/** The text of content for people and logs; an image becomes its media type in brackets. */
export const textOf = (content: readonly ContentItem[]): string =>
  content.map((item) => (item.type === "text" ? item.text : `[${item.mediaType}]`)).join("\n");
