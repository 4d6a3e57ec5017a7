import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { z } from "zod";
import { copyOf, type JsonObject } from "../../machines/history/json.ts";
import { ToolDefinitionError } from "../errors.ts";
import { complaintsOf, lines } from "./explain.ts";
import { causeOf } from "./failure.ts";
import { jsonSchemaCheck, sentSchema } from "./json-schema.ts";
import type { JsonSchema, Refuse } from "./schema-root.ts";

export type { JsonSchema } from "./schema-root.ts";

/** What describes a tool's arguments: a zod schema, or JSON Schema as plain data. */
export type ToolSchema = z.core.$ZodType | JsonSchema;

/** What a tool function is given: zod's output (defaults and transforms applied), or the JSON as it came. */
export type ArgsOf<S extends ToolSchema> = S extends z.core.$ZodType ? z.output<S> : JsonObject;

/** Arguments that a tool can be given, or what is wrong with them, one complaint a line, for the model. */
export type Parsed =
  | { readonly ok: true; readonly args: unknown }
  | { readonly ok: false; readonly problem: string; readonly cause?: unknown };

export interface CompiledSchema {
  /** What the model is sent. */
  readonly sent: LanguageModelV4FunctionTool["inputSchema"];
  /**
   * Checks arguments and gives a fresh value: the JSON that went in is never shared with the tool. The same JSON gives
   * an equal value each time, also in another process. Never throws: a schema that cannot be checked synchronously (an
   * async refinement or transform), or that throws itself, is a problem with its `cause`.
   */
  readonly parse: (args: JsonObject) => Parsed;
}

const isZod = (schema: object): schema is z.core.$ZodType => "_zod" in schema;

/** The bounds that zod gives every integer say nothing to a model. */
const withoutSafeBounds: NonNullable<z.core.ToJSONSchemaParams["override"]> = ({ jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

const jsonSchemaOf = (schema: z.core.$ZodType, refuse: Refuse): JsonSchema => {
  try {
    return z.toJSONSchema(schema, { io: "input", target: "draft-2020-12", override: withoutSafeBounds }) as JsonSchema;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refuse(
      `a model cannot write its arguments: ${reason}. Describe what JSON holds and transform it, e.g. z.iso.datetime()`,
    );
  }
};

const unchecked = (cause: unknown): Parsed => ({
  ok: false,
  problem:
    cause instanceof z.core.$ZodAsyncError
      ? "- the schema of this tool checks its arguments asynchronously, which is not supported; the tool cannot be called"
      : "- the schema of this tool failed while it checked these arguments",
  cause,
});

const guarded =
  (parse: (args: JsonObject) => Parsed) =>
  (args: JsonObject): Parsed => {
    try {
      return parse(copyOf(args));
    } catch (error) {
      return unchecked(error);
    }
  };

const zodParse =
  (schema: z.core.$ZodType) =>
  (args: JsonObject): Parsed => {
    const { success, data, error } = z.safeParse(schema, args);
    return success ? { ok: true, args: data } : { ok: false, problem: lines(complaintsOf(error.issues, args)) };
  };

const compiled = (schema: ToolSchema, refuse: Refuse): CompiledSchema => {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    return refuse("inputSchema must be a zod schema or a JSON Schema object");
  if (isZod(schema)) {
    const sent = sentSchema(jsonSchemaOf(schema, refuse), refuse) as CompiledSchema["sent"];
    return { sent, parse: guarded(zodParse(schema)) };
  }
  if ("_def" in schema || typeof schema.safeParse === "function")
    return refuse("inputSchema is a schema of zod 3 or another library; use zod 4 or a JSON Schema object");
  const problemOf = jsonSchemaCheck(schema, refuse);
  const parse = (args: JsonObject): Parsed => {
    const problem = problemOf(args);
    return problem === undefined ? { ok: true, args } : { ok: false, problem };
  };
  return { sent: sentSchema(schema, refuse) as CompiledSchema["sent"], parse: guarded(parse) };
};

/**
 * Reads a tool's schema once. Throws ToolDefinitionError, which names the tool, for what cannot describe the arguments of
 * a call: no object at the root, what JSON cannot hold, an unknown dialect, a reference or pattern that is broken.
 */
export const compileSchema = (tool: string, schema: ToolSchema): CompiledSchema => {
  try {
    return compiled(schema, (problem) => {
      throw new ToolDefinitionError(tool, problem);
    });
  } catch (error) {
    if (error instanceof ToolDefinitionError) throw error;
    throw new ToolDefinitionError(tool, `its input schema cannot be read: ${causeOf(error)}`);
  }
};
