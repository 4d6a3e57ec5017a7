import { z } from "zod";
import { Origin } from "../../../machines/history/entry.ts";
import { JsonObject } from "../../../machines/history/json.ts";

/** The scenario format, version 1, as `FORMAT.md` beside the scenarios describes it. Unknown fields are refused. */

const ThreadName = z.string().min(1);
const Name = z.string().min(1);

/** A tool keeps fields this player does not know: what they ask for is a need, not an error (see `needsOf`). */
export const ScenarioTool = z.looseObject({
  name: Name,
  kind: z.enum(["dispatched", "sync", "passive", "subscription"]),
  description: z.string().optional(),
  /** JSON Schema of the arguments; default: anything. */
  input_schema: JsonObject.optional(),
  /** Of a `sync` tool: a template, `{arg}` stands for that argument. */
  result: z.string().optional(),
  /** Of a `subscription`: the first result, which arrives by itself. */
  auto_result: z.string().optional(),
  dispatch: z.union([z.enum(["ok", "fail", "slow"]), z.strictObject({ http_status: z.number().int() })]).default("ok"),
});
export type ScenarioTool = z.infer<typeof ScenarioTool>;

export const knownToolFields = Object.keys(ScenarioTool.shape);

const ContentItem = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("image"), data: z.string(), media_type: z.string() }),
]);
export type ScenarioContent = z.infer<typeof ContentItem>;

const ScenarioCall = z.strictObject({ id: z.string(), name: z.string(), args: JsonObject.default({}) });
export type ScenarioCall = z.infer<typeof ScenarioCall>;

const Usage = z.strictObject({
  total_tokens: z.number().int().nonnegative().optional(),
  input_tokens: z.number().int().nonnegative().optional(),
  output_tokens: z.number().int().nonnegative().optional(),
});
export type ScenarioUsage = z.infer<typeof Usage>;

const CallDelta = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  args: z.union([z.string(), JsonObject]).optional(),
  delta: z.string().optional(),
});

export const Chunk = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ reasoning: z.string() }),
  z.strictObject({ unsigned_reasoning: z.string() }),
  z.strictObject({ reasoning_delta: z.string() }),
  z.strictObject({ tool_call_delta: z.union([z.string(), CallDelta]) }),
  z.strictObject({ tool_call: ScenarioCall }),
]);
export type Chunk = z.infer<typeof Chunk>;

const thread = ThreadName;
const call = z.string();
const id = z.string().min(1).optional();

const User = z.strictObject({ op: z.literal("user"), thread, text: z.string(), id, metadata: JsonObject.optional() });
const Interrupt = z.strictObject({ ...User.shape, op: z.literal("interrupt") });
const ToolResult = z.strictObject({
  op: z.literal("tool_result"),
  thread,
  call,
  text: z.string().optional(),
  content: z.array(ContentItem).optional(),
  subscription: z.boolean().optional(),
  id,
});
const SubscriptionEvent = z.strictObject({
  op: z.literal("subscription_event"),
  thread,
  call,
  text: z.string(),
  mode: z.enum(["inline", "threaded"]),
  final: z.boolean().optional(),
  id,
});
const Relayed = { thread, spawn_call: call, child: z.string().optional(), text: z.string(), id };
const ChildReport = z.strictObject({ op: z.literal("child_report"), ...Relayed });
const ParentMessage = z.strictObject({ op: z.literal("parent_message"), ...Relayed });
const OAuth = z.strictObject({ op: z.literal("oauth"), thread, call, url: z.string(), id });
const UserChoice = z.strictObject({
  op: z.literal("user_choice"),
  thread,
  call,
  prompt: z.string(),
  choices: z.array(z.string()),
  default: z.union([z.number(), z.string()]).optional(),
  id,
});
const AnswerChoice = z.strictObject({
  op: z.literal("answer_choice"),
  thread,
  call,
  selected: z.union([z.number(), z.string()]),
});
const ViewUpdate = z.strictObject({ op: z.literal("view_update"), thread, view_type: z.string(), content: z.json() });
const Redeliver = z.strictObject({ op: z.literal("redeliver"), id: Name });

/** What can be delivered to a thread, alone or together with others. */
export const InputStep = z.discriminatedUnion("op", [
  User,
  Interrupt,
  ToolResult,
  SubscriptionEvent,
  ChildReport,
  ParentMessage,
  OAuth,
  UserChoice,
  AnswerChoice,
  ViewUpdate,
  Redeliver,
]);
export type InputStep = z.infer<typeof InputStep>;

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
  thread,
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
  thread: ThreadName.optional(),
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

const ByThread = <T extends z.ZodType>(value: T) => z.record(ThreadName, value);

export const Expectations = z.strictObject({
  model_requests: z.array(RequestExpectation).optional(),
  model_request_count: z.number().int().nonnegative().optional(),
  events: z.array(EventPattern).optional(),
  events_absent: z.array(EventPattern).optional(),
  dispatched: z
    .array(
      z.strictObject({
        thread,
        tool: z.string(),
        call,
        user_id: z.string().optional(),
        ancestors: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  cancellations: z.array(z.strictObject({ thread, call })).optional(),
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
  outcomes: z.array(z.tuple([ThreadName, z.enum(["completed", "skipped"])])).optional(),
  open_requests: z.array(z.string()).optional(),
});
export type Expectations = z.infer<typeof Expectations>;

const Checkpoint = z.strictObject({ op: z.literal("checkpoint"), expect: Expectations });

export const Step = z.discriminatedUnion("op", [
  ...InputStep.options,
  z.strictObject({ op: z.literal("model_text"), thread, text: z.string(), usage: Usage.optional() }),
  z.strictObject({
    op: z.literal("model_tool_calls"),
    thread,
    calls: z.array(ScenarioCall),
    text: z.string().optional(),
    usage: Usage.optional(),
  }),
  z.strictObject({
    op: z.literal("model_stream"),
    thread,
    chunks: z.array(Chunk),
    end: z.enum(["final", "truncated", "filtered", "open", "drop", "error"]),
    error: z.enum(["fatal", "transient"]).optional(),
    usage: Usage.optional(),
    repeat: z.number().int().positive().optional(),
  }),
  z.strictObject({ op: z.literal("compact"), thread }),
  z.strictObject({ op: z.literal("batch"), inputs: z.array(InputStep).min(1) }),
  z.strictObject({ op: z.literal("dispatch_ack"), call }),
  z.strictObject({ op: z.literal("fail_next"), what: z.enum(["model_resolve"]) }),
  z.strictObject({ op: z.literal("advance_time"), seconds: z.number().nonnegative() }),
  z.strictObject({ op: z.literal("restart"), mode: z.enum(["crash", "graceful"]).default("crash") }),
  z.strictObject({ op: z.literal("halt"), thread }),
  z.strictObject({ op: z.literal("switch_model"), thread, model: Name, supports_images: z.boolean().optional() }),
  z.strictObject({ op: z.literal("attach"), thread, as: Name }),
  z.strictObject({ op: z.literal("step"), inputs: z.array(InputStep) }),
  Checkpoint,
]);
export type Step = z.infer<typeof Step>;

export const stepOps = Step.options.map(({ shape }) => shape.op.value);

export const Scenario = z.strictObject({
  id: Name,
  title: z.string(),
  group: z.string().optional(),
  mode: z.enum(["resident", "step"]).default("resident"),
  main_thread: ThreadName.default("t1"),
  builtins: z.boolean().default(true),
  model: z
    .strictObject({ context_window: z.number().nonnegative().default(0), supports_images: z.boolean().default(false) })
    .default({ context_window: 0, supports_images: false }),
  tools: z.array(ScenarioTool).default([]),
  steps: z.array(Step),
  expect: Expectations.default({}),
  rap: z.enum(["MUST", "SHOULD"]).optional(),
});
export type Scenario = z.infer<typeof Scenario>;

export const ScenarioFile = z.strictObject({ version: z.literal(1), scenarios: z.array(Scenario) });
