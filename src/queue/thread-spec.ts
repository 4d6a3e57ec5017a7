import { ThreadId } from "../../machines/history/ids.ts";
import { JsonObject } from "../../machines/history/json.ts";
import { OptionError, ThreadIdError } from "../errors.ts";
import type { ThreadSpec } from "../store/store.ts";
import { NotPlainJson, plainJson } from "./plain-json.ts";

/** What a thread is launched with, where its tools are known by name alone. */
export interface NamedThreadOptions {
  readonly tools?: readonly string[];
  readonly instructions?: string;
  readonly metadata?: JsonObject;
}

/** Throws ThreadIdError. */
export const threadIdOf = (id: string): ThreadId => {
  const parsed = ThreadId.safeParse(id);
  if (!parsed.success) throw new ThreadIdError(String(id));
  return parsed.data;
};

/** A copy that nobody else changes. Throws OptionError for what is no JSON object, or too large. */
const metadataOf = (metadata: unknown, limit: number): JsonObject => {
  try {
    const { value } = plainJson(metadata, "it", limit);
    return JsonObject.parse(value);
  } catch (cause) {
    const problem = cause instanceof NotPlainJson ? cause.message : "it takes a JSON object";
    throw new OptionError("metadata", problem, { cause });
  }
};

/** As it is stored; `inputSize`: bytes that the metadata may have. Throws OptionError. */
export const threadSpecOf = (
  { tools = [], instructions = "", metadata = {} }: NamedThreadOptions,
  inputSize: number,
): ThreadSpec => {
  if (!Array.isArray(tools) || tools.some((name) => typeof name !== "string"))
    throw new OptionError("tools", "takes a list of names; the process that runs the thread has the tools");
  if (typeof instructions !== "string") throw new OptionError("instructions", "takes a text");
  return { tools: [...new Set(tools)], instructions, metadata: metadataOf(metadata, inputSize) };
};
