import { z } from "zod";
import { ContentItem, DisplaySegment } from "../history/entry.ts";
import { CallId, ThreadId } from "../history/ids.ts";
import { Json, JsonObject } from "../history/json.ts";

/** Why a tool failed, for the feed and the log; never shown to the model. */
export const ToolFailure = z.object({
  /** Also in the model's text, so that a person can find the cause. */
  reference: z.string(),
  message: z.string(),
});
export type ToolFailure = z.infer<typeof ToolFailure>;

const ChoiceId = z.string().min(1).max(500);

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
  /**
   * A call's timer is due: a wait is over (`wake`), the result did not come in time (`deadline`), or nobody answered a
   * question (`expiry`).
   */
  z.object({
    kind: z.literal("timer"),
    callId: CallId,
    purpose: z.enum(["wake", "deadline", "expiry"]),
    due: z.number(),
  }),
  /** A request that was postponed is due to be made again. */
  z.object({ kind: z.literal("retry"), due: z.number() }),
  /** An event's child has been idle for long enough. */
  z.object({ kind: z.literal("linger"), due: z.number() }),
  /** A child has something to tell its parent. `failed`: its work ended in a failure for good. */
  z.object({ kind: z.literal("report"), child: ThreadId, text: z.string(), failed: z.literal(true).optional() }),
  /** A child has closed: the last word of it. */
  z.object({ kind: z.literal("ended"), child: ThreadId, report: z.string().nullable() }),
  /** An event's child came to rest: the next event may have its place. */
  z.object({ kind: z.literal("rested"), child: ThreadId }),
  /** A parent tells its child something. */
  z.object({ kind: z.literal("message"), parent: ThreadId, text: z.string() }),
  /** The owner stops the thread and its descendants until somebody writes. */
  z.object({
    kind: z.literal("halt"),
    sender: z.string().default("user"),
    /** The budget of the tree is reached: what is said of that. */
    budget: z.string().optional(),
  }),
  /** The thread above was resumed. */
  z.object({ kind: z.literal("resume"), sender: z.string().default("user") }),
  /** A person lets a thread go on that was set aside. */
  z.object({ kind: z.literal("release"), sender: z.string().default("user") }),
  /** A person wants the conversation summarised now. */
  z.object({ kind: z.literal("compact"), sender: z.string().default("user") }),
  /** The thread and its descendants end for good. */
  z.object({ kind: z.literal("close"), sender: z.string().default("user") }),
  /** A call that is under way asks a person something. */
  z.object({
    kind: z.literal("choice"),
    callId: CallId,
    choiceId: ChoiceId,
    /** `ask`: its tool is at work in this process. `choice`: elsewhere. */
    form: z.enum(["ask", "choice"]).default("choice"),
    prompt: z.string().min(1, "a prompt is not empty").max(10_000, "a prompt has at most 10,000 characters"),
    choices: z.array(z.string().min(1).max(500)).min(1, "a question has a choice").max(50),
    default: z.number().int().nonnegative().nullable().default(null),
    expiresAt: z.number().nullable().default(null),
  }),
  /** A person answers a question: `choice` is its number, from 0, or its words. */
  z.object({
    kind: z.literal("answer"),
    choiceId: ChoiceId,
    choice: z.union([z.number().int().nonnegative(), z.string().min(1).max(500)]),
    by: z.string().max(200).nullable().default(null),
    reason: z.string().max(10_000).nullable().default(null),
  }),
  /** A call can go on once a person has signed in at `url`. Handed to the application. */
  z.object({
    kind: z.literal("oauth"),
    callId: CallId,
    url: z.url({ protocol: /^https?$/, error: "it takes an address of http or https" }).max(10_000),
  }),
  /** What a tool shows beside the conversation. Handed to the application, and replayed to who comes later. */
  z.object({ kind: z.literal("view"), callId: CallId.optional(), viewType: z.string().min(1).max(200), content: Json }),
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
export type EndedInput = Extract<Input, { kind: "ended" }>;
export type TimerInput = Extract<Input, { kind: "timer" }>;
export type AnswerInput = Extract<Input, { kind: "answer" }>;

/**
 * How many inputs may wait when this one comes; one more refuses it. What ends a wait always comes in (R9): results,
 * timers and final events are as many as calls, and an interrupt is acted on at once. The user has as much room again, so
 * that a source that floods the thread does not keep out who could stop it (R6).
 */
export const roomFor = (input: Input, inboxLimit: number): number => {
  if (input.kind === "text") return input.whileBusy === "interrupt" ? 2 * inboxLimit : inboxLimit;
  const isNews = ["progress", "oauth", "view", "choice"].includes(input.kind);
  return isNews || (input.kind === "event" && !input.final) ? inboxLimit : Number.POSITIVE_INFINITY;
};

/** An input on its way to a thread; the unit of delivery. */
export const Envelope = z.object({
  threadId: ThreadId,
  dedupId: z.string().min(1, "a dedup id is not empty").max(500, "a dedup id has at most 500 characters"),
  input: Input,
});
export type Envelope = z.infer<typeof Envelope>;

/**
 * What an input is about: the call for results, events, timers and what calls ask and show, the question for answers, the child or parent for what threads tell each
 * other, the sender for what a person says.
 */
export const sourceOf = (input: Input): string => {
  if (input.kind === "answer") return input.choiceId;
  if ("callId" in input) return input.callId ?? "";
  if ("child" in input) return input.child;
  if ("parent" in input) return input.parent;
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
