import type { AnyStateMachine } from "xstate";
import type { Json, JsonObject } from "../../machines/history/json.ts";
import { nameOf, unnamed } from "./chart.ts";

/** Where a config has a function or a machine in place of a name, these keys say what it does. */
const parts: ReadonlySet<string> = new Set(["actions", "entry", "exit", "guard", "src"]);

/** Types of TypeScript and schemas: no part of the drawing. */
const leftOut: ReadonlySet<string> = new Set(["types", "schemas"]);

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Undefined for what JSON does not have: it is left out. `key`: under which the value stands. */
const literalOf = (key: string, value: unknown): Json | undefined => {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return value;
  if (Array.isArray(value)) return value.map((item) => literalOf(key, item) ?? null);
  if (typeof value === "object" && isPlain(value)) return objectOf(value);
  if (!parts.has(key)) return undefined;
  return typeof value === "object" ? nameOf((value as { id?: unknown }).id) : unnamed;
};

const objectOf = (object: object): JsonObject => {
  const literal: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const plain = leftOut.has(key) ? undefined : literalOf(key, value);
    if (plain !== undefined) literal[key] = plain;
  }
  return literal;
};

/**
 * A machine's config as plain JSON, for editors that read what stands inside `createMachine(…)`: states, transitions and
 * descriptions as they are; guards, actions, actors and delays by name, with the params that are values. Functions that
 * pick params, input, context and output are left out; one that stands in place of a name becomes `(inline)`. XState
 * makes the same states and transitions of it.
 */
export const machineJson = (machine: AnyStateMachine): JsonObject => objectOf(machine.config);
