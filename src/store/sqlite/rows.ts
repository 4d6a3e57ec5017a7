import { z } from "zod";
import { Entry, EventSource, TurnPart } from "../../../machines/history/entry.ts";
import { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { Json, JsonObject } from "../../../machines/history/json.ts";
import type { CallForm, Failure, Usage } from "../../../machines/round/turn.ts";
import type { Choice, ChoiceAnswer } from "../../../machines/thread/choice.ts";
import type {
  Call,
  CallStatus,
  ContextSize,
  Quarantine,
  Subscription,
  ThreadRecord,
  ThreadState,
} from "../../../machines/thread/commit.ts";
import type { Child, ChildKind, Opening } from "../../../machines/thread/family.ts";
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

const [text, reasoning, call, provided, ...otherParts] = TurnPart.options;
const [user, turn, result, event, seed, ...otherEntries] = Entry.options;
const StoredSource = EventSource.extend({ args: AnyObject });
const StoredPart = z.discriminatedUnion("type", [
  text.extend({ providerMetadata: AnyMetadata }),
  reasoning.extend({ providerMetadata: AnyMetadata }),
  call.extend({ args: AnyObject, providerMetadata: AnyMetadata }),
  provided.extend({ part: AnyJson }),
  ...otherParts,
]);

export const StoredEntry = z.discriminatedUnion("kind", [
  user.extend({ metadata: AnyObject.optional() }),
  turn.extend({ parts: z.array(StoredPart).min(1) }),
  result,
  event.extend({ source: StoredSource }),
  seed.extend({ args: AnyObject }),
  ...otherEntries,
]) satisfies z.ZodType<Entry>;

export const StoredInput = z.object({ dedupId: z.string(), input: Input });

/** One schema for every field, optional ones too: a field that the contract gets later cannot be forgotten here. */
type Fields<T> = { readonly [Key in keyof T]-?: z.ZodType };

/** The same for the members of a union of strings. */
const oneOf = <T extends string>(members: Record<T, true>) => z.enum(Object.keys(members) as [T, ...T[]]);

export const StoredState = oneOf<ThreadState>({
  running: true,
  awaitingActiveCall: true,
  idlePassive: true,
  subscribed: true,
  idle: true,
  closed: true,
});

/** How a status is stored: a call's only grows (S9). */
export const rankOf: Readonly<Record<CallStatus, number>> = { proposed: 0, committed: 1, started: 2, acknowledged: 3 };
export const statusOf = new Map(Object.entries(rankOf).map(([status, rank]) => [rank, status]));

const called = {
  callId: CallId,
  providerCallId: z.string(),
  name: z.string(),
  args: AnyObject,
  form: oneOf<CallForm>({ run: true, dispatch: true, subscribe: true, inline: true, builtin: true }),
};

export const StoredCall = z.object({
  ...called,
  display: z.string().exactOptional(),
  position: z.number(),
  passive: z.boolean(),
  onRestart: oneOf<Call["onRestart"]>({ again: true, fail: true }),
  status: oneOf<CallStatus>({ proposed: true, committed: true, started: true, acknowledged: true }),
  note: z.string().exactOptional(),
  deadline: z.number().exactOptional(),
} satisfies Fields<Call>) satisfies z.ZodType<Call>;

export const StoredChoice = z.object({
  choiceId: z.string(),
  callId: CallId,
  kind: oneOf<Choice["kind"]>({ approval: true, ask: true, choice: true }),
  prompt: z.string(),
  choices: z.array(z.string()),
  default: z.number().nullable(),
  expiresAt: z.number().nullable(),
  answer: z
    .object({
      index: z.number(),
      by: z.string().nullable(),
      reason: z.string().nullable(),
      expired: z.literal(true).exactOptional(),
    } satisfies Fields<ChoiceAnswer>)
    .nullable(),
} satisfies Fields<Choice>) satisfies z.ZodType<Choice>;

export const StoredSubscription = z.object({
  ...called,
  lastEventId: z.string().exactOptional(),
} satisfies Fields<Subscription>) satisfies z.ZodType<Subscription>;

const StoredFailure = z.object({
  code: oneOf<Failure["code"]>({
    MODEL_FAILED: true,
    MODEL_UNAVAILABLE: true,
    CONTEXT_TOO_LONG: true,
    TURN_TRUNCATED: true,
    TURN_FILTERED: true,
    ROUND_LIMIT: true,
    REPEATED_CALL: true,
    BUDGET_REACHED: true,
    QUARANTINED: true,
  }),
  message: z.string(),
  at: z.number(),
} satisfies Fields<Failure>) satisfies z.ZodType<Failure>;

const count = z.number();
const StoredUsage = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count.exactOptional(),
  cost: z.number().exactOptional(),
  reasoningTokens: count.exactOptional(),
} satisfies Fields<Usage>) satisfies z.ZodType<Usage>;

export const StoredQuarantine = z.object({
  reason: oneOf<Quarantine["reason"]>({ "process-died": true, "actor-failed": true }),
  times: count,
  at: count,
  upTo: count,
} satisfies Fields<Quarantine>) satisfies z.ZodType<Quarantine>;

export const StoredRecord = z.object({
  nextPosition: count,
  turns: count,
  rounds: count,
  repeated: z.object({ call: z.string(), times: count }).nullable(),
  roundDue: z.boolean(),
  lastFailure: StoredFailure.nullable(),
  // Records of version 0.1 were written without it.
  retry: z.object({ due: count, attempt: count, givenUp: count.exactOptional() }).nullable().default(null),
  usage: StoredUsage,
  turnAt: count.nullable().default(null),
  context: z
    .object({ tokens: count, window: count.nullable(), failedAt: count.nullable() } satisfies Fields<ContextSize>)
    .nullable()
    .default(null),
  tooLong: z.object({ upTo: count, tried: z.boolean() }).nullable().default(null),
  summary: count.nullable().default(null),
  // And without these.
  allowed: z.array(z.string()).default([]),
  halted: z.boolean().default(false),
  linger: count.nullable().default(null),
  restarts: count.default(0),
  countedIn: z.string().nullable().default(null),
  quarantined: StoredQuarantine.nullable().default(null),
  closing: z.object({ report: z.string().nullable(), told: z.boolean() }).nullable().default(null),
  state: StoredState,
} satisfies Fields<ThreadRecord>) satisfies z.ZodType<ThreadRecord>;

export const StoredSpec = z.object({
  tools: z.array(z.string()),
  instructions: z.string(),
  metadata: AnyObject,
} satisfies Fields<ThreadSpec>) satisfies z.ZodType<ThreadSpec>;

const kind = oneOf<ChildKind>({ spawned: true, event: true });

export const StoredOpening = z.object({
  kind,
  parent: ThreadId,
  stack: z.array(ThreadId).min(1),
  position: count,
  summary: z.object({ of: ThreadId, upTo: count }).exactOptional(),
  source: StoredSource,
} satisfies Fields<Opening>) satisfies z.ZodType<Opening>;

export const StoredChild = z.object({
  threadId: ThreadId,
  kind,
  source: StoredSource,
  rested: z.boolean(),
} satisfies Fields<Child>) satisfies z.ZodType<Child>;

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
