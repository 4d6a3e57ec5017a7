import type { ToolCall } from "./call.ts";
import { behaviourOf, checkDefinition } from "./definition.ts";
import type { ArgsOf, ToolSchema } from "./schema.ts";
import { createTool, type Producer, type Sent, type Tool, type ToolAnnotations } from "./tool.ts";

export type { ArgsOf, JsonSchema, ToolSchema } from "./schema.ts";
export { isTool, type Producer, type ProducerEvent, type Tool, type ToolAnnotations } from "./tool.ts";

type Absent<K extends PropertyKey> = { readonly [key in K]?: never };

/** Exactly one of these makes a tool. */
type Behaviour<A> =
  | ({
      /** Starts the work; the slice ends, and what the promise resolves to is the result. */
      readonly run: (args: A, call: ToolCall) => unknown;
      readonly passive?: boolean;
    } & Absent<"dispatch" | "inline" | "subscribe" | "resume">)
  | ({
      /** Starts the work; somebody delivers the result later, with `resultFor(call.address, …)`, from any process. */
      readonly dispatch: (args: A, call: ToolCall) => void | Promise<void>;
      readonly passive?: boolean;
    } & Absent<"run" | "inline" | "subscribe" | "resume">)
  | ({
      /** Runs inside the slice, which goes on with the result. For what takes less than a second or so. */
      readonly inline: (args: A, call: ToolCall) => unknown;
    } & Absent<"run" | "dispatch" | "subscribe" | "resume" | "passive" | "needsApproval">)
  | ({
      /** Opens a subscription: its events arrive under the call until a final one. */
      readonly subscribe: (args: A, call: ToolCall) => Producer | Promise<Producer>;
      /** Opens it again after a restart. */
      readonly resume?: (args: A, call: ToolCall, lastEventId: string | undefined) => Producer | Promise<Producer>;
    } & Absent<"run" | "dispatch" | "inline" | "passive">);

interface Description<S extends ToolSchema> {
  /** 1 to 64 characters of `[a-zA-Z0-9_-]`, unique among the tools of a thread. */
  readonly name: string;
  readonly description: string;
  /** What the model sees, what is checked before a call, and the type of `args`. */
  readonly inputSchema: S;
  /** How a call is shown to people. Default: name and arguments. */
  readonly display?: (args: ArgsOf<S>) => string;
  readonly annotations?: ToolAnnotations;
  /** After a restart, a call that may have begun: `fail` (default) or `again` (default of read-only and idempotent tools). */
  readonly onRestart?: "again" | "fail";
  /** ms until a call without a result is settled with an error, counted from the end of its round. Inline: from its start. */
  readonly deadline?: number;
  /**
   * Whether a person has to approve a call before it is made. A function is asked for each call; one that throws counts as
   * yes. Default: the annotation `destructive`. The `approval` of the system or of a thread's configuration goes before it.
   */
  readonly needsApproval?: boolean | ((args: ArgsOf<S>) => boolean);
  /** `allow`: run without asking anybody, whatever the annotations say. */
  readonly approval?: "allow";
}

export type ToolDefinition<S extends ToolSchema> = Description<S> & Behaviour<ArgsOf<S>>;

/**
 * Makes a tool. The types of `args` come from the schema; arguments are checked before every call.
 * Throws ToolDefinitionError, which names the tool and says what would work.
 */
export const defineTool = <S extends ToolSchema>(definition: ToolDefinition<S>): Tool => toolOf(definition);

/** The same, with what the model is sent beside name, description and schema. */
export const toolOf = <S extends ToolSchema>(definition: ToolDefinition<S>, sent: Sent = {}): Tool => {
  checkDefinition(definition);
  const { annotations = {}, deadline, display, passive = false } = definition;
  const needsApproval =
    definition.approval === "allow" ? false : (definition.needsApproval ?? annotations.destructive ?? false);
  const repeatable = annotations.readOnly === true || annotations.idempotent === true;
  return createTool(
    definition,
    {
      passive,
      onRestart: definition.onRestart ?? (repeatable ? "again" : "fail"),
      needsApproval: needsApproval as boolean | ((args: unknown) => boolean),
      annotations: Object.freeze({ ...annotations }),
      ...(deadline !== undefined && { deadline }),
      ...(display && { display: display as (args: unknown) => unknown }),
      ...behaviourOf(definition),
    },
    sent,
  );
};
