import { z } from "zod";
import { Origin } from "../../../machines/history/entry.ts";

/** What a scenario expects, at a checkpoint or at its end. */

const Name = z.string().min(1);
const call = z.string();

export const ContentItem = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("image"), data: z.string(), media_type: z.string() }),
]);
export type ScenarioContent = z.infer<typeof ContentItem>;

const State = z.enum(["running", "awaitingActiveCall", "idlePassive", "subscribed", "idle", "closed", "absent"]);

export const MessagePattern = z.strictObject({
  role: z.enum(["user", "assistant", "tool"]).optional(),
  kind: z
    .enum([
      "text",
      "reasoning",
      "tool_call",
      "tool_result",
      "event_call",
      "event_result",
      "seed_call",
      "seed_result",
      "summary",
    ])
    .optional(),
  name: z.string().optional(),
  call: z.string().optional(),
  origin: Origin.optional(),
  args: z.json().optional(),
  source_call: z.string().optional(),
  source_tool: z.string().optional(),
  source_args: z.json().optional(),
  interrupt: z.boolean().optional(),
  content: z.array(z.union([ContentItem, z.strictObject({ type: z.literal("image_placeholder") })])).optional(),
  text_contains: z.string().optional(),
});
export type MessagePattern = z.infer<typeof MessagePattern>;

const RequestExpectation = z.strictObject({
  thread: Name,
  messages: z.array(MessagePattern).optional(),
  match: z.enum(["exact", "tail", "subsequence"]).default("exact"),
  absent: z.array(MessagePattern).optional(),
  model: z.string().optional(),
});
export type RequestExpectation = z.infer<typeof RequestExpectation>;

export const eventTypes = [
  "user_input",
  "tool_result",
  "subscription_event",
  "oauth_required",
  "user_choice_required",
  "user_choice_dismissed",
  "compaction_applied",
  "completion_started",
  "text",
  "thinking_started",
  "thinking",
  "thinking_ended",
  "tool_call",
  "completion_finished",
  "info",
  "view_update",
  "input_discarded",
] as const;

export const EventPattern = z.strictObject({
  thread: Name.optional(),
  type: z.enum(eventTypes).optional(),
  text_contains: z.string().optional(),
  call: z.string().optional(),
  name: z.string().optional(),
  id: z.string().optional(),
  url: z.string().optional(),
  /** Tokens in all; null: the provider did not say. */
  usage: z.union([z.number(), z.null(), z.strictObject({ total_tokens: z.number() })]).optional(),
  source_call: z.string().optional(),
  view_type: z.string().optional(),
});
export type EventPattern = z.infer<typeof EventPattern>;

const ByThread = <T extends z.ZodType>(value: T) => z.record(Name, value);

export const Expectations = z.strictObject({
  model_requests: z.array(RequestExpectation).optional(),
  model_request_count: z.number().int().nonnegative().optional(),
  events: z.array(EventPattern).optional(),
  events_absent: z.array(EventPattern).optional(),
  dispatched: z
    .array(
      z.strictObject({
        thread: Name,
        tool: z.string(),
        call,
        user_id: z.string().optional(),
        ancestors: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  cancellations: z.array(z.strictObject({ thread: Name, call })).optional(),
  thread_closed_notifications: z.array(z.string()).optional(),
  final_state: State.optional(),
  threads: ByThread(State).optional(),
  deferred: z.array(z.string()).optional(),
  active_subscriptions: z.union([z.array(z.string()), ByThread(z.array(z.string()))]).optional(),
  pending_choices: z.array(z.string()).optional(),
  choice_responses: z.array(z.strictObject({ call, selected: z.union([z.number(), z.string()]) })).optional(),
  stored: ByThread(z.array(MessagePattern)).optional(),
  snapshots: z
    .record(
      Name,
      z.strictObject({
        in_progress: z.boolean().optional(),
        thinking: z.string().nullable().optional(),
        pending_choices: z.array(z.string()).optional(),
        views: z.record(z.string(), z.json()).optional(),
        messages_tail: z.array(MessagePattern).optional(),
      }),
    )
    .optional(),
  outcomes: z.array(z.tuple([Name, z.enum(["completed", "skipped", "failed"])])).optional(),
  open_requests: z.array(z.string()).optional(),
});
export type Expectations = z.infer<typeof Expectations>;
