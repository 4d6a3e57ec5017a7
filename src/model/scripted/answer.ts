import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** What a scripted model says, in the vocabulary of the scenario format. */

export interface ScriptedCall {
  /** Default: an id no other call of the model has. The empty string is passed on as it is. */
  readonly id?: string | undefined;
  readonly name: string;
  /** Default: no arguments. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** The argument text as the model writes it, instead of `args`; it need not parse. */
  readonly raw?: string | undefined;
}

export type ScriptedChunk =
  /** Texts in a row are one block. */
  | { readonly text: string }
  /** A complete block, signed. */
  | { readonly reasoning: string }
  /** A complete block without a signature. */
  | { readonly unsigned_reasoning: string }
  /** Deltas in a row are one block, which is closed, and signed, by what follows it. */
  | { readonly reasoning_delta: string }
  /** Argument text of a call that is not complete yet. A `tool_call` of the same id completes it. */
  | { readonly tool_call_delta: string | ScriptedCallDelta }
  | { readonly tool_call: ScriptedCall }
  /** Any other part of a stream, as it is. */
  | { readonly part: LanguageModelV4StreamPart };

/** Without an id, the delta goes on with the call that is open. */
export interface ScriptedCallDelta {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: string | Readonly<Record<string, unknown>> | undefined;
  readonly delta?: string | undefined;
}

export interface ScriptedFailure {
  readonly error: "fatal" | "transient";
  readonly message?: string | undefined;
  /** HTTP status. Default: 400 when fatal, 503 when transient. */
  readonly status?: number | undefined;
  /** Seconds, sent as `retry-after`. */
  readonly retryAfter?: number | undefined;
  /** Sent as `retry-after-ms`. */
  readonly retryAfterMs?: number | undefined;
  /**
   * Where it is told: `request` rejects `doStream` (default while nothing was streamed), `part` is an `error` part after
   * which the stream closes (default later), `stream` breaks the stream itself, as a lost connection does.
   */
  readonly at?: "request" | "part" | "stream" | undefined;
}

/**
 * `final`, `truncated`, `filtered`: the end marks. `open`: the stream goes on later. `drop`: it closes without an end mark.
 * `{ finish }`: an end mark with that reason.
 */
export type ScriptedEnd =
  | "final"
  | "truncated"
  | "filtered"
  | "open"
  | "drop"
  | ScriptedFailure
  | { readonly finish: LanguageModelV4FinishReason["unified"] };

/** Tokens. Default: none counted. A total without its parts is all input. */
export interface ScriptedUsage {
  readonly total_tokens?: number | undefined;
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
}

/** A whole turn (reasoning, then text, then the calls), or chunks with an end of their own, or a failure. */
export type ScriptedAnswer =
  | string
  | {
      readonly reasoning?: string | undefined;
      readonly text?: string | undefined;
      readonly calls?: readonly ScriptedCall[] | undefined;
      readonly usage?: ScriptedUsage | undefined;
    }
  | {
      readonly chunks: readonly ScriptedChunk[];
      /** Default `final`. */
      readonly end?: ScriptedEnd | undefined;
      readonly usage?: ScriptedUsage | undefined;
    }
  | ScriptedFailure;

export interface ScriptedStream {
  readonly chunks: readonly ScriptedChunk[];
  readonly end: ScriptedEnd;
  readonly usage: ScriptedUsage | undefined;
}

/** The chunks that an answer stands for. */
export const streamOf = (answer: ScriptedAnswer): ScriptedStream => {
  if (typeof answer === "string") return { chunks: [{ text: answer }], end: "final", usage: undefined };
  if ("error" in answer) return { chunks: [], end: answer, usage: undefined };
  if ("chunks" in answer) return { chunks: answer.chunks, end: answer.end ?? "final", usage: answer.usage };
  const chunks: ScriptedChunk[] = [];
  if (answer.reasoning !== undefined) chunks.push({ reasoning: answer.reasoning });
  if (answer.text !== undefined) chunks.push({ text: answer.text });
  for (const call of answer.calls ?? []) chunks.push({ tool_call: call });
  return { chunks, end: "final", usage: answer.usage };
};
