import { APICallError } from "@ai-sdk/provider";
import { WakefulError } from "../../errors.ts";
import type { ScriptedFailure } from "./answer.ts";

/** A script was used in a way that cannot work: it ran out of answers, or fed a request that had ended. */
export class ScriptError extends WakefulError {
  override readonly name = "ScriptError";
  readonly code = "SCRIPT";
}

const url = "scripted://model";

/** The error a provider's client makes of a failed response. */
export const apiError = (failure: ScriptedFailure): APICallError => {
  const transient = failure.error === "transient";
  const responseHeaders: Record<string, string> = {};
  if (failure.retryAfter !== undefined) responseHeaders["retry-after"] = String(failure.retryAfter);
  if (failure.retryAfterMs !== undefined) responseHeaders["retry-after-ms"] = String(failure.retryAfterMs);
  return new APICallError({
    message: failure.message ?? (transient ? "The scripted model is overloaded." : "The scripted model refuses."),
    url,
    requestBodyValues: {},
    statusCode: failure.status ?? (transient ? 503 : 400),
    responseHeaders,
    isRetryable: transient,
  });
};

/** What a strict model throws: a 400 that names every fault. */
export const refusalError = (refusals: readonly string[]): APICallError =>
  apiError({ error: "fatal", message: `The request is refused:\n${refusals.join("\n")}` });

/** What an aborted request fails with: the signal's reason where that is an error, else an `AbortError`. */
export const abortError = (signal: AbortSignal | undefined): Error =>
  signal?.reason instanceof Error
    ? signal.reason
    : new DOMException(String(signal?.reason ?? "This operation was aborted"), "AbortError");
