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
import type { BrokenTry } from "../../../machines/round/events.ts";
import { type Answered, answeredBy } from "./answered.ts";
import { refusedBy } from "./refusal.ts";
import { retryAfterOf } from "./retry-after.ts";
import { withoutKeys } from "./secrets.ts";

/** What the failure of a request means for the next try; `message` is a whole sentence. */
export type FailureNews = Pick<BrokenTry, "message" | "retryAfter" | "refused"> & { readonly retryable: boolean };

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

/** Names of errors that time alone does not mend, under a status that says it does. */
const finalNames = new Set(["insufficient_quota"]);

/** As the SDK has it: a status that may pass. */
const mayPass = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

/** Whether the answer came and was a success, so that only the reading of it can have failed. */
const brokeOff = (error: APICallError): boolean =>
  error.statusCode !== undefined && error.statusCode >= 200 && error.statusCode < 300;

const isRetryable = (error: unknown, { status, names }: Answered, isOpen: boolean): boolean => {
  if (names.some((name) => finalNames.has(name))) return false;
  if (APICallError.isInstance(error)) return error.isRetryable || brokeOff(error);
  // Gateways, and errors in the middle of a stream, have the same field.
  const said = (error as { isRetryable?: unknown } | null | undefined)?.isRetryable;
  if (typeof said === "boolean") return said;
  if (status !== undefined) return mayPass(status);
  // `fetch` says so of a request that it cannot make, e.g. for a key with a line break; networks that break have a cause.
  if (error instanceof TypeError && !isOpen && isOurs(error)) return false;
  return !final.some((type) => type.isInstance(error));
};

const isOurs = ({ cause }: TypeError): boolean =>
  cause === undefined || (cause as { code?: unknown } | null)?.code === "ERR_INVALID_URL";

/** Where a request went, without what may hold a key. */
const placeOf = (url: string): string => {
  const { origin, pathname } = URL.parse(url) ?? { origin: "", pathname: "" };
  return `${origin}${pathname}`;
};

/** `(HTTP 404 from http://localhost:11434/chat/completions)`: what is not there may be the address. */
const statusOf = (error: APICallError): string => {
  if (error.statusCode === undefined || brokeOff(error)) return "";
  return ` (HTTP ${error.statusCode}${error.statusCode === 404 ? ` from ${placeOf(error.url)}` : ""})`;
};

/**
 * Retryability from the SDK's error types, statuses and the names of errors, never from message text. What says nothing of
 * itself (a network that broke, an error in the middle of a stream) may be tried again. `isOpen`: the answer had begun.
 */
export const newsOf = (error: unknown, now: number, isOpen = false): FailureNews => {
  const answered = answeredBy(error);
  const refused = refusedBy(answered);
  const retryAfter = APICallError.isInstance(error) ? retryAfterOf(error.responseHeaders, now) : undefined;
  const status = APICallError.isInstance(error) ? statusOf(error) : "";
  const words = wordsOf(answered.words ?? error);
  return {
    retryable: refused === undefined && isRetryable(error, answered, isOpen),
    message: sentence(`The request to the model failed${status}: ${withoutKeys(words, answered.status === 401)}`),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(refused && { refused }),
  };
};

/** Whether an answer is a page for people, by its headers. */
export const isPage = (headers: Record<string, string> | undefined): boolean =>
  /^text\/html\b/i.test(headers?.["content-type"] ?? "");

/** What answers at the model's address is a page for people: asking again would meet it again. */
export const pageNews: FailureNews = {
  retryable: false,
  message:
    "The address of the model answered with a web page instead of a stream. Check the base URL: many end in /v1.",
};

/** A failure on our side of the request, which another try would meet again. `what`: what could not be done. */
export const ownFailure = (what: string, error: unknown): FailureNews => ({
  retryable: false,
  message: sentence(`${what}: ${wordsOf(error)}`),
});
