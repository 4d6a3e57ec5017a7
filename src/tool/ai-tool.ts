import { ToolDefinitionError, ToolError } from "../errors.ts";
import { aiModelResult, aiResult } from "./ai-result.ts";
import { type AiSchema, aiSchema, checkOf } from "./ai-schema.ts";
import type { ToolCall } from "./call.ts";
import { toolOf } from "./define.ts";
import { seen } from "./explain.ts";
import { causeOf } from "./failure.ts";
import type { Refuse } from "./schema-root.ts";
import { shortened } from "./text.ts";
import type { Sent, Tool, ToolAnnotations } from "./tool.ts";

/** What is read of an AI SDK tool: anything that `tool` or `dynamicTool` of the package `ai` makes is one. */
export interface AiTool {
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | ((options: never) => string) | undefined;
  readonly inputSchema?: unknown;
  readonly contextSchema?: unknown;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
}

/** What `execute` of an AI SDK tool takes. */
export type AiInput<T extends AiTool> =
  NonNullable<T["execute"]> extends (input: infer I, options: never) => unknown ? I : unknown;

/** What an AI SDK tool cannot say of itself. */
export interface AiToolOptions<I = unknown> {
  /** In place of the tool's own; needed where that is a function. */
  readonly description?: string;
  /** Run inside the slice, which goes on with the result: for what takes less than a second or so. Default false. */
  readonly inline?: boolean;
  /** The call is only a wait, which anything ends. Default false. */
  readonly passive?: boolean;
  /** After a restart, a call that may have begun: `fail` (default) or `again` (default of read-only and idempotent tools). */
  readonly onRestart?: "again" | "fail";
  readonly annotations?: ToolAnnotations;
  /** How a call is shown to people. Default: name and arguments. */
  readonly display?: (input: I) => string;
  /** ms until a call without a result is settled with an error. */
  readonly deadline?: number;
  /** `allow`: run without asking anybody, also a tool that `needsApproval`. */
  readonly approval?: "allow";
  /** Makes the `context` of each call, checked by the tool's `contextSchema`. Needed where the tool has one. */
  readonly context?: (call: ToolCall) => unknown;
}

/** What `execute` is given beside its input. */
interface ExecuteOptions {
  readonly toolCallId: string;
  readonly messages: readonly { readonly role: "user"; readonly content: string }[];
  readonly abortSignal: AbortSignal;
  readonly context: unknown;
}

/** A tool as it may really come: from JavaScript, or made for another version of the SDK. */
interface Claim {
  readonly [field: string]: unknown;
  readonly execute: (input: unknown, options: ExecuteOptions) => unknown;
  readonly toModelOutput?: (options: { toolCallId: string; input: unknown; output: unknown }) => unknown;
}

/** Characters of a preliminary result that are told as progress. */
const shownOfProgress = 1_000;

const problemOf = (tool: Record<string, unknown>, options: AiToolOptions<never>): string | undefined => {
  const { type, id, execute, description, contextSchema } = tool;
  if (type !== undefined && type !== "function" && type !== "dynamic")
    return `it is defined by a provider (${seen(id ?? type)}), which alone knows how to describe it; make a tool of your own with tool({ description, inputSchema, execute })`;
  if (typeof execute !== "function")
    return "it has no execute; give it one, or use defineTool with dispatch where the result comes from elsewhere";
  if (typeof description === "function" && options.description === undefined)
    return "its description is a function, and a tool is described once; give the text with the option description";
  if (contextSchema !== undefined && options.context === undefined)
    return "it has a contextSchema; give the option context, a function that makes the context of each call";
  if (options.context !== undefined && typeof options.context !== "function")
    return "the option context must be a function that takes the call";
  return undefined;
};

const textOf = ({ description, title }: Claim, name: string): string =>
  ([description, title].find((text) => typeof text === "string" && text.trim() !== "") as string | undefined) ?? name;

/** What the model is sent of the tool beside name, description and schema. */
const sentOf = ({ strict, inputExamples, providerOptions }: Claim): Sent => ({
  ...(typeof strict === "boolean" && { strict }),
  ...(Array.isArray(inputExamples) && { inputExamples }),
  ...(typeof providerOptions === "object" && providerOptions !== null && { providerOptions: providerOptions as never }),
});

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

/** What `execute` comes to. Of an AsyncIterable each result but the last is preliminary: it is told as progress. */
const outputOf = async (given: unknown, call: ToolCall): Promise<unknown> => {
  const value = await given;
  if (!isAsyncIterable(value)) return value;
  let last: { readonly output: unknown } | undefined;
  for await (const output of value) {
    if (last) call.progress(shortened(progressText(last.output), shownOfProgress));
    last = { output };
    if (call.signal.aborted) break;
  }
  return last?.output;
};

const progressText = (output: unknown): string => (typeof output === "string" ? output : seen(output));

/** The context of one call. One that does not fit is a mistake of the application: the model learns a reference. */
const contextOf = async (tool: Claim, make: AiToolOptions["context"], call: ToolCall): Promise<unknown> => {
  const context = await make?.(call);
  const checked = await checkOf(tool.contextSchema)?.(context);
  if (checked && !checked.ok) throw new Error(`The context does not fit the tool's contextSchema.\n${checked.problem}`);
  return checked ? checked.value : context;
};

/** Runs the tool as the SDK would. What the schema's own check says against the arguments is told to the model. */
const runner =
  (name: string, tool: Claim, check: AiSchema["check"], make: AiToolOptions["context"]) =>
  async (args: unknown, call: ToolCall): Promise<unknown> => {
    const checked = check ? await check(args) : { ok: true as const, value: args };
    if (!checked.ok) throw new ToolError(`The arguments of ${name} are not valid.\n${checked.problem}`);
    const input = checked.value;
    const context = await contextOf(tool, make, call);
    call.signal.throwIfAborted();
    const given = tool.execute(input, {
      toolCallId: call.id,
      messages: call.message.trim() === "" ? [] : [{ role: "user", content: call.message }],
      abortSignal: call.signal,
      context,
    });
    const output = await outputOf(given, call);
    if (!tool.toModelOutput || output instanceof Error) return aiResult(output);
    return aiModelResult(await tool.toModelOutput({ toolCallId: call.id, input, output }));
  };

/** A lazy schema, or one that is written as JSON Schema only now, may throw. */
const readSchema = ({ inputSchema }: Claim, refuse: Refuse): AiSchema => {
  try {
    return aiSchema(inputSchema, refuse);
  } catch (error) {
    if (error instanceof ToolDefinitionError) throw error;
    return refuse(`its inputSchema cannot be read: ${causeOf(error)}`);
  }
};

/**
 * Makes a tool of an AI SDK tool (`tool({ … })` or `dynamicTool({ … })` of the package `ai`), taken as it is: the model is
 * sent its schema, `strict`, `inputExamples` and `providerOptions`; `execute` gets `toolCallId` (our `call.id`, the same
 * after a restart), `abortSignal`, `context`, and as `messages` one user message with the text of the inputs that led to
 * the call, not the history. Preliminary results are told as progress; what comes last is the result, read by
 * `toModelOutput` where there is one, else shown as text or JSON. Errors follow the rules of every tool: a ToolError is
 * shown to the model, of any other it learns a reference. The hooks (`onInputStart` …) are not called.
 *
 * Throws ToolDefinitionError for what cannot work: a tool that a provider defines, one without `execute`, a schema that
 * cannot be read.
 */
export const fromAiTool = <T extends AiTool>(name: string, tool: T, options: AiToolOptions<AiInput<T>> = {}): Tool => {
  const refuse = (problem: string): never => {
    throw new ToolDefinitionError(String(name), problem);
  };
  if (typeof tool !== "object" || tool === null) return refuse("fromAiTool takes a name and a tool of the AI SDK");
  const claim = tool as unknown as Claim;
  const problem = problemOf(claim, options);
  if (problem !== undefined) return refuse(problem);
  const { inline = false, context, description = textOf(claim, name), ...rest } = options;
  const { schema, check } = readSchema(claim, refuse);
  const run = runner(name, claim, check, context);
  const definition = {
    ...rest,
    name,
    description,
    inputSchema: schema,
    ...(claim.needsApproval ? { needsApproval: true } : {}),
    ...(inline ? { inline: run } : { run }),
  };
  return toolOf(definition as never, sentOf(claim));
};
