import { APICallError } from "@ai-sdk/provider";

/** What a failure of a request means for the next try. */
export interface FailureNews {
  readonly retryable: boolean;
  readonly message: string;
  /** ms. */
  readonly retryAfter?: number;
}

const header = (headers: Record<string, string> | undefined, name: string): string | undefined =>
  Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];

/** ms from `retry-after-ms`, or `retry-after` as seconds or as an HTTP date; undefined for what is neither. */
export const retryAfterOf = (headers: Record<string, string> | undefined, now: number): number | undefined => {
  const ms = Number.parseFloat(header(headers, "retry-after-ms") ?? "");
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = header(headers, "retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = /^[A-Za-z]{3},/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};

/**
 * Retryability from the SDK's error types, never from message text. What is no error of the SDK (a network that broke, a
 * stream that ended in the middle) may be tried again.
 */
export const newsOf = (error: unknown, now: number): FailureNews => {
  const message = error instanceof Error ? error.message : String(error);
  if (APICallError.isInstance(error)) {
    const retryAfter = retryAfterOf(error.responseHeaders, now);
    const status = error.statusCode === undefined ? "" : ` (HTTP ${error.statusCode})`;
    return {
      retryable: error.isRetryable,
      message: `The request to the model failed${status}: ${message}`,
      ...(retryAfter !== undefined && { retryAfter }),
    };
  }
  const retryable = !isFinal(error);
  return { retryable, message: `The request to the model failed: ${message}` };
};

/** Errors that the SDK throws about the request itself (a missing key, an unsupported prompt): trying again cannot help. */
const isFinal = (error: unknown): boolean =>
  error instanceof Error &&
  error.name.startsWith("AI_") &&
  !/^AI_(EmptyResponseBody|NoContentGenerated|RetryError)/.test(error.name);
