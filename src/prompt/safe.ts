import type { Json, JsonObject } from "../../machines/history/json.ts";
import { safeText } from "../tool/text.ts";

const mended = (value: Json): Json => {
  if (typeof value === "string") return safeText(value);
  if (Array.isArray(value)) return value.map(mended);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [safeText(key), mended(inner)]));
};

/** How JSON writes a lone surrogate or NUL; also matches texts that speak of one, which costs a copy and no more. */
const suspicious = /\\u(?:d[89a-f]|0000)/;

/** Arguments that every provider takes: what `safeText` does to text, done to every string in them. */
export const safeArgs = (args: JsonObject): JsonObject =>
  suspicious.test(JSON.stringify(args)) ? (mended(args) as JsonObject) : args;
