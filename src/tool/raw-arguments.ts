import type { Json, JsonObject } from "../../machines/history/json.ts";
import { seen } from "./explain.ts";

/** Deeper JSON cannot be relied on to be written again: writers of JSON are recursive. */
const deepest = 500;

export type ReadArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly raw: string; readonly problem: string };

const isDeep = (value: unknown, left = deepest): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((one) => isDeep(one, left - 1)));

/** JSON can write numbers that no number holds; they would be another value once they are stored. */
const hasInfinity = (value: unknown): boolean =>
  typeof value === "number"
    ? !Number.isFinite(value)
    : typeof value === "object" && value !== null && Object.values(value).some(hasInfinity);

/** An escape that makes half a surrogate pair, which providers refuse; rare, so looked for before anything is rewritten. */
const mayBeIllFormed = (raw: string): boolean => /\\u[dD][89a-fA-F]/.test(raw) || !raw.isWellFormed();

const wellFormed = (value: Json): Json => {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one)]));
};

/**
 * The arguments of a call as a JSON object. Nothing, blank text and `null` count as `{}`, because models write them for
 * tools that take nothing. Anything else that is no JSON object is a problem, told for the model.
 */
export const readArguments = (rawArgs: string): ReadArguments => {
  const raw = rawArgs.toWellFormed();
  const problem = (text: string): ReadArguments => ({ ok: false, raw, problem: text });
  if (raw.trim() === "") return { ok: true, args: {} };
  let value: Json;
  try {
    value = JSON.parse(rawArgs);
  } catch (error) {
    return problem(
      `they are not JSON (${error instanceof Error ? error.message.toWellFormed() : "cannot be read"}); write one JSON object`,
    );
  }
  if (value === null) return { ok: true, args: {} };
  if (typeof value !== "object" || Array.isArray(value))
    return problem(
      `expected a JSON object, got ${seen(value)}${typeof value === "string" ? "; write the object itself, not a string" : ""}`,
    );
  if (/[eE]\+?\d{3}/.test(raw) && hasInfinity(value)) return problem("a number in them is too large to be one");
  if (isDeep(value)) return problem(`they are nested more than ${deepest} levels deep`);
  return { ok: true, args: mayBeIllFormed(rawArgs) ? (wellFormed(value) as JsonObject) : value };
};
