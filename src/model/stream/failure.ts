import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
  NoSuchProviderReferenceError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { retryAfterOf } from "./retry-after.ts";

/** What the failure of a request means for the next try. */
export interface FailureNews {
  readonly retryable: boolean;
  /** A whole sentence. */
  readonly message: string;
  /** ms. */
  readonly retryAfter?: number;
}

/** Errors of the SDK about the request itself: the same request would meet them again. */
const final = [
  InvalidArgumentError,
  InvalidPromptError,
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
  NoSuchProviderReferenceError,
  UnsupportedFunctionalityError,
];

/** Text with an end, so that another sentence can follow. */
const sentence = (text: string): string => (/[.!?:…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

/** Characters of an error's own words; some providers answer with a whole page. */
const longest = 1_000;

const wordsOf = (error: unknown): string => {
  const words = saidBy(error).toWellFormed();
  return words.length > longest ? `${words.slice(0, longest).toWellFormed()}…` : words;
};

/** What an error says of itself. Streams hand on plain objects too, as the provider sent them. */
const saidBy = (error: unknown): string => {
  if (typeof error === "string") return error || "no reason given";
  if (typeof error !== "object" || error === null) return String(error);
  const { message, name } = error as { message?: unknown; name?: unknown };
  if (typeof message === "string" && message !== "") return message;
  if (error instanceof Error) return String(name);
  try {
    return JSON.stringify(error);
  } catch {
    return "an error that cannot be shown";
  }
};

/**
 * Retryability from the SDK's error types, never from message text. What is no error of the SDK (a network that broke, an
 * error in the middle of a stream) may be tried again.
 */
export const newsOf = (error: unknown, now: number): FailureNews => {
  if (APICallError.isInstance(error)) {
    const status = error.statusCode === undefined ? "" : ` (HTTP ${error.statusCode})`;
    const retryAfter = retryAfterOf(error.responseHeaders, now);
    return {
      retryable: error.isRetryable,
      message: sentence(`The request to the model failed${status}: ${wordsOf(error)}`),
      ...(retryAfter !== undefined && { retryAfter }),
    };
  }
  // Gateways have errors of their own, with the same field.
  const { isRetryable } = (error ?? {}) as { isRetryable?: unknown };
  return {
    retryable: typeof isRetryable === "boolean" ? isRetryable : !final.some((type) => type.isInstance(error)),
    message: sentence(`The request to the model failed: ${wordsOf(error)}`),
  };
};

/** A failure on our side of the request, which another try would meet again. `what`: what could not be done. */
export const ownFailure = (what: string, error: unknown): FailureNews => ({
  retryable: false,
  message: sentence(`${what}: ${wordsOf(error)}`),
});
