import { z } from "zod";
import { JsonObject } from "../../../machines/history/json.ts";
import { ContentItem, Expectations } from "./expectation-schema.ts";

/** What happens in a scenario, step by step. */

const Name = z.string().min(1);

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

const thread = Name;
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
  z.strictObject({ op: z.literal("set_budget"), tokens: z.number().nonnegative() }),
  z.strictObject({ op: z.literal("switch_model"), thread, model: Name, supports_images: z.boolean().optional() }),
  z.strictObject({ op: z.literal("attach"), thread, as: Name }),
  z.strictObject({ op: z.literal("step"), inputs: z.array(InputStep), threads: z.array(Name).optional() }),
  Checkpoint,
]);
export type Step = z.infer<typeof Step>;

export const stepOps = Step.options.map(({ shape }) => shape.op.value);
