import { z } from "zod";
import { ContentItem, DisplaySegment } from "../history/entry.ts";
import { CallId, ThreadId } from "../history/ids.ts";
import { JsonObject } from "../history/json.ts";

/** Why a tool failed, for the feed and the log; never shown to the model. */
export const ToolFailure = z.object({
  /** Also in the model's text, so that a person can find the cause. */
  reference: z.string(),
  message: z.string(),
});
export type ToolFailure = z.infer<typeof ToolFailure>;

/** Everything that can enter a thread. The kind decides what it does there (DESIGN, section 3, the table). */
export const Input = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("text"),
    text: z.string(),
    /** Part of the dedup key: ids of different senders never meet (R2). */
    sender: z.string().default("user"),
    /** `wait` makes the text deferrable: it interrupts nothing (R6). */
    whileBusy: z.enum(["interrupt", "wait"]).default("interrupt"),
    metadata: JsonObject.optional(),
  }),
  z.object({
    kind: z.literal("result"),
    callId: CallId,
    content: z.array(ContentItem),
    origin: z.enum(["tool", "dispatch_failed", "http_error", "restart"]).default("tool"),
    error: z.literal(true).optional(),
    display: z.array(DisplaySegment).optional(),
    /** The result confirms a subscription: later events arrive under the call. */
    subscription: z.literal(true).optional(),
    failure: ToolFailure.optional(),
  }),
  z.object({
    kind: z.literal("event"),
    callId: CallId,
    text: z.string(),
    associative: z.boolean().default(false),
    final: z.boolean().default(false),
  }),
  /** A call's timer is due: a wait is over (`wake`), or the result did not come in time (`deadline`). */
  z.object({
    kind: z.literal("timer"),
    callId: CallId,
    purpose: z.enum(["wake", "deadline"]),
    due: z.number(),
  }),
  /** A request that was postponed is due to be made again. */
  z.object({ kind: z.literal("retry"), due: z.number() }),
  /** News of a call that is under way: handed to the application, never in a history. */
  z.object({ kind: z.literal("progress"), callId: CallId, text: z.string() }),
  /** A person stops what is going on without saying anything. */
  z.object({ kind: z.literal("interrupt"), sender: z.string().default("user") }),
]);
export type Input = z.infer<typeof Input>;
export type InputKind = Input["kind"];
export type TextInput = Extract<Input, { kind: "text" }>;
export type ResultInput = Extract<Input, { kind: "result" }>;
export type EventInput = Extract<Input, { kind: "event" }>;
export type TimerInput = Extract<Input, { kind: "timer" }>;

/** Kinds that the design has and this version does not handle: refused at the door, by name. */
export const unsupportedKinds = [
  "approval",
  "answer",
  "report",
  "message",
  "oauth",
  "choice",
  "view",
  "halt",
  "close",
  "compact",
] as const;

/**
 * How many inputs may wait when this one comes; one more refuses it. What ends a wait always comes in (R9): results,
 * timers and final events are as many as calls, and an interrupt is acted on at once. The user has as much room again, so
 * that a source that floods the thread does not keep out who could stop it (R6).
 */
export const roomFor = (input: Input, inboxLimit: number): number => {
  if (input.kind === "text") return input.whileBusy === "interrupt" ? 2 * inboxLimit : inboxLimit;
  return input.kind === "progress" || (input.kind === "event" && !input.final) ? inboxLimit : Number.POSITIVE_INFINITY;
};

/** An input on its way to a thread; the unit of delivery. */
export const Envelope = z.object({
  threadId: ThreadId,
  dedupId: z.string().min(1, "a dedup id is not empty").max(500, "a dedup id has at most 500 characters"),
  input: Input,
});
export type Envelope = z.infer<typeof Envelope>;

/** What an input is about: the call for results, events, timers and progress, the sender for what a person says. */
export const sourceOf = (input: Input): string => {
  if ("callId" in input) return input.callId;
  return "sender" in input ? input.sender : "";
};

/** What R2 compares: kind, source and dedup id of one thread. JSON keeps parts that hold separators apart. */
export const dedupKeyOf = ({ dedupId, input }: Envelope): string =>
  JSON.stringify([input.kind, sourceOf(input), dedupId]);

/** An accepted input that no commit has consumed yet: one row of the inbox. */
export interface WaitingInput {
  /** Grows in the order of acceptance within a thread. */
  readonly seq: number;
  readonly dedupId: string;
  readonly input: Input;
  /** The instant of acceptance, ms since the epoch. */
  readonly at: number;
  /** A commit recorded that this text cut a round short; it keeps the mark over a restart. */
  readonly interrupts?: true;
}
