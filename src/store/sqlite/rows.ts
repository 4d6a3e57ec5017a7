import { z } from "zod";
import { Entry, EventSource, TurnPart } from "../../../machines/history/entry.ts";
import { CallId } from "../../../machines/history/ids.ts";
import type { Json, JsonObject } from "../../../machines/history/json.ts";
import type { Call, Subscription, ThreadRecord, ThreadState } from "../../../machines/thread/commit.ts";
import { Input } from "../../../machines/thread/input.ts";
import { StoreCorruptError } from "../../errors.ts";
import type { ThreadSpec } from "../store.ts";

/**
 * What is stored as JSON, and how it is read. What `JSON.parse` returned is JSON all the way down, so where any JSON will
 * do only the outermost value is looked at: reading a history costs little more than `JSON.parse`.
 */

const AnyJson = z.custom<Json>((value) => value !== undefined);
const AnyObject = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected an object",
);
const AnyMetadata = z.custom<Record<string, JsonObject>>((value) => AnyObject.safeParse(value).success).optional();

const [text, reasoning, call, provided] = TurnPart.options;
const [user, turn, result, event] = Entry.options;
const StoredPart = z.discriminatedUnion("type", [
  text.extend({ providerMetadata: AnyMetadata }),
  reasoning.extend({ providerMetadata: AnyMetadata }),
  call.extend({ args: AnyObject, providerMetadata: AnyMetadata }),
  provided.extend({ part: AnyJson }),
]);

export const StoredEntry = z.discriminatedUnion("kind", [
  user.extend({ metadata: AnyObject.optional() }),
  turn.extend({ parts: z.array(StoredPart).min(1) }),
  result,
  event.extend({ source: EventSource.extend({ args: AnyObject }) }),
]) satisfies z.ZodType<Entry>;

export const StoredInput = z.object({ dedupId: z.string(), input: Input });

const states = ["running", "awaitingActiveCall", "idlePassive", "subscribed", "idle", "closed"] as const;
export const StoredState = z.enum(states) satisfies z.ZodType<ThreadState>;

const CallForm = z.enum(["run", "dispatch", "subscribe", "inline", "builtin"]);
const called = { callId: CallId, providerCallId: z.string(), name: z.string(), args: AnyObject, form: CallForm };

export const statuses = ["committed", "started", "acknowledged"] as const;

export const StoredCall = z.object({
  ...called,
  display: z.string().exactOptional(),
  position: z.number(),
  passive: z.boolean(),
  onRestart: z.enum(["again", "fail"]),
  status: z.enum(statuses),
}) satisfies z.ZodType<Call>;

export const StoredSubscription = z.object(called) satisfies z.ZodType<Subscription>;

const count = z.number();
export const StoredRecord = z.object({
  nextPosition: count,
  turns: count,
  rounds: count,
  repeated: z.object({ call: z.string(), times: count }).nullable(),
  roundDue: z.boolean(),
  lastFailure: z
    .object({
      code: z.enum([
        "MODEL_FAILED",
        "MODEL_UNAVAILABLE",
        "TURN_TRUNCATED",
        "TURN_FILTERED",
        "ROUND_LIMIT",
        "REPEATED_CALL",
      ]),
      message: z.string(),
      at: z.number(),
    })
    .nullable(),
  usage: z.object({
    inputTokens: count,
    outputTokens: count,
    cachedInputTokens: count.exactOptional(),
    reasoningTokens: count.exactOptional(),
  }),
  state: StoredState,
}) satisfies z.ZodType<ThreadRecord>;

export const StoredSpec = z.object({
  tools: z.array(z.string()),
  instructions: z.string(),
  metadata: AnyObject,
}) satisfies z.ZodType<ThreadSpec>;

/** Of whom a value is, for the error when it cannot be read. */
export interface Where {
  /** E.g. `entry 5`. */
  readonly what: string;
  readonly threadId: string;
  readonly position?: number;
}

/** `more` is put over what the JSON says: columns that change while the JSON stays. Throws StoreCorruptError. */
export const readRow = <T>(file: string, schema: z.ZodType<T>, json: string, where: Where, more?: object): T => {
  const value = readJson(file, json, where);
  const read = schema.safeParse(more && typeof value === "object" && value !== null ? { ...value, ...more } : value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new StoreCorruptError(file, where, `${issue?.path.join(".") || "the whole"}: ${issue?.message}`, {
    cause: read.error,
  });
};

export const readJson = (file: string, json: string, where: Where): unknown => {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new StoreCorruptError(file, where, "it is no JSON", { cause });
  }
};
