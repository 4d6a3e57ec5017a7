import type { BrokenTry } from "../../../machines/round/events.ts";
import type { Answered } from "./answered.ts";

/** How providers name a request that is longer than the model takes. */
const lengthNames = new Set([
  "context_length_exceeded", // OpenAI, Azure, Groq
  "exceed_context_size_error", // llama.cpp
  "request_too_large", // Anthropic, for the bytes of a request
]);

/**
 * What these providers say of such a request, in whose answers nothing but the words tells it from any other bad request:
 * Anthropic ("invalid_request_error" for all), vLLM ("BadRequestError" for all), Google ("INVALID_ARGUMENT" for all).
 */
const lengthWords = [
  /\bprompt is too long\b/i, // Anthropic
  /\bexceed context limit\b/i, // Anthropic, with max_tokens counted in
  /\bmaximum context length\b/i, // vLLM, and servers in its manner
  /\binput token count\b.*\bexceeds the maximum\b/i, // Google
];

/** Statuses by which a provider says that the request itself is bad. */
const badRequest = new Set([400, 413, 422]);

/** What of the request a provider refused; undefined when the failure was not about the request. */
export const refusedBy = ({ status, names, words = "" }: Answered): BrokenTry["refused"] => {
  if (names.some((name) => lengthNames.has(name))) return "length";
  if (status === undefined || !badRequest.has(status)) return undefined;
  return status === 413 || lengthWords.some((pattern) => pattern.test(words)) ? "length" : "content";
};
