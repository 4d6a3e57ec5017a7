import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { InteropObservable, Subscribable } from "rxjs";
import type { JsonObject } from "../../machines/history/json.ts";
import type { Verdict } from "../../machines/round/turn.ts";
import type { ToolCall } from "./call.ts";
import { compileSchema, type Parsed, type ToolSchema } from "./schema.ts";

/** What is known of a tool's effects. */
export interface ToolAnnotations {
  /** It changes nothing. A call that may have begun can be made again. */
  readonly readOnly?: boolean;
  /** It can destroy something: its calls need approval. */
  readonly destructive?: boolean;
  /** Making the same call twice does what making it once does. */
  readonly idempotent?: boolean;
  /** It takes minutes or more; for people and models to know. */
  readonly longRunning?: boolean;
}

/** One event of a producer. */
export interface ProducerEvent {
  readonly text: string;
  /** Dedup id; default: a count. */
  readonly id?: string;
  /** The event belongs in the subscriber's own history. Default false: it is handled in a child thread of its own. */
  readonly associative?: boolean;
  /** The last event. */
  readonly final?: boolean;
}

export type EventSourceOf<E> = Subscribable<E> | InteropObservable<E> | AsyncIterable<E>;

/** What `subscribe` answers with: the call's result, and the events that follow under it. */
export interface Producer {
  /** The result that settles the call, as `run` would return it. */
  readonly started: unknown;
  /** Listened to once the result is in the history: a source that may emit earlier buffers. */
  readonly events: EventSourceOf<ProducerEvent>;
}

/** What a thread has to know of one call of a built-in tool: how the wait ends by itself, or what is to be done. */
export type BuiltinTerms = Pick<Extract<Verdict, { as: "accepted" }>, "wakeAfter" | "wakeAt" | "note" | "act">;

/** What happens with a call of a tool. `args` is what the tool's own `parse` gave. */
export type ToolBehaviour =
  | { readonly form: "run"; readonly run: (args: unknown, call: ToolCall) => unknown }
  | { readonly form: "dispatch"; readonly dispatch: (args: unknown, call: ToolCall) => unknown }
  | { readonly form: "inline"; readonly inline: (args: unknown, call: ToolCall) => unknown }
  | {
      readonly form: "subscribe";
      readonly subscribe: (args: unknown, call: ToolCall) => unknown;
      readonly resume?: (args: unknown, call: ToolCall, lastEventId: string | undefined) => unknown;
    }
  | { readonly form: "builtin"; readonly terms: (args: unknown) => BuiltinTerms };

/** What every tool has, whatever its behaviour. */
export interface ToolFace {
  readonly name: string;
  readonly description: string;
  /** What the model is sent. */
  readonly spec: LanguageModelV4FunctionTool;
  readonly passive: boolean;
  readonly onRestart: "again" | "fail";
  readonly deadline?: number;
  /** Whether a person has to approve a call, unless a policy says otherwise. A function that throws counts as yes. */
  readonly needsApproval: boolean | ((args: unknown) => boolean);
  readonly annotations: ToolAnnotations;
  /** Checks stored arguments and gives what the tool function takes; the same JSON gives an equal value each time. */
  readonly parse: (args: JsonObject) => Parsed;
  readonly display?: (args: unknown) => unknown;
}

/** A tool that threads can have. Frozen; made by `defineTool`. */
export type Tool = ToolFace & ToolBehaviour;

const mark: unique symbol = Symbol.for("wakeful.tool") as never;

/** Whether a value is a tool that `defineTool` made, also one of another copy of this library. */
export const isTool = (value: unknown): value is Tool =>
  typeof value === "object" && value !== null && (value as { [mark]?: unknown })[mark] === true;

/** What providers take of a tool beside its face. */
export type Sent = Pick<LanguageModelV4FunctionTool, "strict" | "inputExamples" | "providerOptions">;

/** Puts a tool together from parts that were checked. */
export const createTool = (
  {
    name,
    description,
    inputSchema,
  }: { readonly name: string; readonly description: string; readonly inputSchema: ToolSchema },
  rest: Pick<ToolFace, "passive" | "onRestart" | "annotations" | "deadline" | "display" | "needsApproval"> &
    ToolBehaviour,
  more: Sent = {},
): Tool => {
  const { sent, parse } = compileSchema(name, inputSchema);
  const spec = Object.freeze({ type: "function" as const, name, description, inputSchema: sent, ...more });
  const tool = { name, description, spec, parse, ...rest };
  Object.defineProperty(tool, mark, { value: true });
  return Object.freeze(tool);
};
