import { lines } from "./explain.ts";
import type { JsonSchema, ToolSchema } from "./schema.ts";
import type { Refuse } from "./schema-root.ts";
import { shortened } from "./text.ts";

/** A value as a schema gives it, or what is wrong with it, one complaint a line. */
export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** A schema of the AI SDK in the two parts that are used of it. */
export interface AiSchema {
  /** What a tool of ours can be made with. */
  readonly schema: ToolSchema;
  /** The schema's own check, which may be asynchronous; undefined when `schema` checks all there is. */
  readonly check: ((value: unknown) => Promise<Checked>) | undefined;
}

/** The mark of what `jsonSchema`, `zodSchema`, `valibotSchema` … of the SDK return. */
const mark = Symbol.for("vercel.ai.schema");

interface SdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: (value: unknown) => unknown;
}

/** What is used of a schema that follows standard-schema. */
interface StandardSchema {
  readonly "~standard": {
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown };
  };
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

const isSdk = (value: object): value is SdkSchema => mark in value;
const isStandard = (value: object): value is StandardSchema => "~standard" in value;
const isHolder = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** Longer complaints of a foreign check are cut: they repeat the value. */
const longestProblem = 1_000;

const sdkCheck =
  (validate: NonNullable<SdkSchema["validate"]>) =>
  async (value: unknown): Promise<Checked> => {
    const seen = (await validate(value)) as { success: boolean; value?: unknown; error?: unknown };
    if (seen.success) return { ok: true, value: seen.value };
    const text = seen.error instanceof Error ? seen.error.message : String(seen.error);
    return { ok: false, problem: `- ${shortened(text, longestProblem)}` };
  };

const standardCheck =
  ({ "~standard": standard }: StandardSchema) =>
  async (value: unknown): Promise<Checked> => {
    const seen = (await standard.validate(value)) as { value?: unknown; issues?: readonly Issue[] };
    if (!seen.issues) return { ok: true, value: seen.value };
    const complaints = seen.issues.map(({ message, path = [] }) => ({
      path: path.map((part) => (typeof part === "object" ? part.key : part)),
      text: message,
    }));
    return { ok: false, problem: lines(complaints) };
  };

/** A lazy schema is a function; some libraries make schemas that are functions themselves. */
const awake = (value: unknown): unknown => (typeof value === "function" && !isStandard(value) ? value() : value);

/** A check by itself, for what no model writes. Undefined for what is no schema. */
export const checkOf = (given: unknown): AiSchema["check"] => {
  const schema = awake(given);
  if (!isHolder(schema)) return undefined;
  if (isSdk(schema)) return schema.validate && sdkCheck(schema.validate);
  return isStandard(schema) ? standardCheck(schema) : undefined;
};

/** As the SDK has it for a tool without a schema: it takes no arguments. */
const nothing: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

/**
 * Reads what the SDK takes as `inputSchema`: zod 4, `jsonSchema(…)` and its like, a standard-schema that can be written as
 * JSON Schema, a function that returns one of these, or nothing.
 */
export const aiSchema = (given: unknown, refuse: Refuse): AiSchema => {
  const schema = awake(given);
  if (schema === undefined || schema === null) return { schema: nothing, check: undefined };
  if (!isHolder(schema)) return refuse("its inputSchema is no schema; give a zod schema or jsonSchema({ … })");
  if ("_zod" in schema) return { schema: schema as ToolSchema, check: undefined };
  if (isSdk(schema)) {
    const sent = schema.jsonSchema;
    if (sent instanceof Promise) sent.catch(() => {});
    if (isHolder(sent) && "then" in sent)
      return refuse("its inputSchema is a promise of a JSON Schema; await that first, and give jsonSchema(theSchema)");
    return { schema: sent as JsonSchema, check: checkOf(schema) };
  }
  if (!isStandard(schema))
    return refuse("its inputSchema is no schema of the AI SDK; wrap JSON Schema in jsonSchema({ … })");
  const { vendor, jsonSchema } = schema["~standard"];
  if (!jsonSchema)
    return refuse(
      vendor === "zod"
        ? "its inputSchema is of zod 3; use zod 4, or wrap it in zodSchema(…) of the package ai"
        : `its inputSchema of ${vendor} cannot be written as JSON Schema; wrap it as the AI SDK says for ${vendor}`,
    );
  return { schema: jsonSchema.input({ target: "draft-07" }) as JsonSchema, check: checkOf(schema) };
};
