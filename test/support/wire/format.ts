import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Answer } from "./script.ts";

/** What a provider can refuse or fail with, in words that all of them know. */
export type Trouble =
  | "rate" // too many requests
  | "server"
  | "overloaded"
  | "key" // a wrong one
  | "length" // longer than the model takes
  | "unsigned" // a call that the model did not sign
  | "request" // anything else in the request
  | "model"; // there is none of that name

export interface ErrorAnswer {
  readonly status: number;
  readonly body: object;
}

export interface ModelGiven {
  /** Where the server listens: origin, no path. */
  readonly url: string;
  readonly modelId?: string;
  readonly apiKey?: string;
  readonly fetch?: typeof fetch;
}

/** A provider's streaming format, and the real package that reads it. */
export interface Format {
  readonly name: string;
  model(given: ModelGiven): LanguageModelV4;
  /** Whole events, in order. */
  render(answer: Answer): readonly string[];
  /** How many of these events a turn needs to be whole: the last of them is the end mark. */
  whole(events: readonly string[]): number;
  error(trouble: Trouble): ErrorAnswer;
  /** The event by which a stream that has begun ends in an error. */
  errorEvent(trouble: Trouble): string;
  /** What this provider would refuse in a request; one line each. */
  faults(body: RequestBody): readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of three providers, looked into by tests
export type RequestBody = any;

export const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isBlank = (text: unknown): boolean => typeof text !== "string" || text.trim() === "";

/** Names of tools that every provider takes. */
export const isName = (name: unknown): boolean => typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name);

export const parsedArgs = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
};
