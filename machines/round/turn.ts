import type { JsonObject } from "../history/json.ts";

/** How a tool runs, as far as a thread needs to know. `builtin`: nothing is handed over, the commit is the act. */
export type CallForm = "run" | "dispatch" | "subscribe" | "inline" | "builtin";

/** A call of a built-in tool that is carried out by the commit of its turn, as its arguments ask for it. */
export type BuiltinAct =
  | { readonly do: "spawn"; readonly instructions: string; readonly childOf: readonly string[] }
  | { readonly do: "report"; readonly text: string }
  | { readonly do: "message"; readonly to: string; readonly text: string }
  | { readonly do: "close"; readonly threadId: string; readonly report: string | null }
  /** `call`: the id under which the model knows the subscription, ours or its provider's. */
  | { readonly do: "cancel"; readonly call: string };

/** What the thread's tools make of a call the model wrote; judged when its block is complete. */
export type Verdict =
  | {
      readonly as: "refused";
      readonly origin: "unknown_tool" | "reserved_tool" | "validation" | "denied";
      /** What the model reads. */
      readonly text: string;
    }
  | {
      readonly as: "accepted";
      readonly form: CallForm;
      readonly passive: boolean;
      readonly onRestart: "again" | "fail";
      /** ms from the end of the round until the call is settled with an error. */
      readonly deadline?: number;
      /** The call waits for a person's word before it is made. */
      readonly asks?: true;
      /** When a wait ends by itself: ms from the end of the round. */
      readonly wakeAfter?: number;
      /** The same as an instant, ms since the epoch; what lies behind wakes at once. */
      readonly wakeAt?: number;
      /** What the wait says of itself, whole sentences: stands in its result behind how it ended. */
      readonly note?: string;
      /** What a built-in tool that is no wait does; the thread judges it once more against its record. */
      readonly act?: BuiltinAct;
    };

/** One whole piece of a turn, in the order the model began it. */
export type Block =
  | { readonly type: "text"; readonly text: string; readonly providerMetadata?: Record<string, JsonObject> }
  | {
      readonly type: "reasoning";
      readonly text: string;
      /** False for reasoning that is shown and not stored (it carries no signature). */
      readonly keep: boolean;
      readonly providerMetadata?: Record<string, JsonObject>;
    }
  | {
      readonly type: "call";
      readonly providerCallId: string;
      readonly name: string;
      readonly args: JsonObject;
      readonly raw?: string;
      readonly display?: string;
      readonly verdict: Verdict;
      readonly providerMetadata?: Record<string, JsonObject>;
    }
  | { readonly type: "provided"; readonly part: unknown };

/** Tokens of one completion, as the provider counted them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  /** In whatever the prices are in; left out where the model has none. */
  readonly cost?: number;
}

/** Why a thread rests without the answer it was asked for. Shown as `lastFailure`. */
export interface Failure {
  /** Stable: match on it. */
  readonly code:
    | "MODEL_FAILED"
    | "MODEL_UNAVAILABLE"
    | "CONTEXT_TOO_LONG"
    | "TURN_TRUNCATED"
    | "TURN_FILTERED"
    | "ROUND_LIMIT"
    | "REPEATED_CALL"
    /** The thread's tree has used up what it may; all of it is halted. */
    | "BUDGET_REACHED"
    /** The thread was set aside. */
    | "QUARANTINED";
  readonly message: string;
  readonly at: number;
}

/**
 * A request that is to be made again: its next try, counted from 1, and its instant, ms since the epoch. `givenUp`: how
 * often in a row all its tries failed, where the thread asks again all the same (`onModelFailure`).
 */
export interface Retry {
  readonly due: number;
  readonly attempt: number;
  readonly givenUp?: number;
}

/**
 * What a round hands back, however it went; a round never fails in another way.
 * `finished`: the model ended its turn. `truncated`, `filtered`: the provider ended it. `cut`: an input interrupted it;
 * `blocks` holds what was complete, and visible text of the block that was open. `failed`: tries ran out or the error was
 * fatal; `blocks` holds the visible text and complete calls of the last try. `postponed`: the wait before the next try is
 * too long to sit out; `blocks` is empty, and `retry` says when the same is to be asked again.
 */
export interface RoundOutput {
  readonly outcome: "finished" | "truncated" | "filtered" | "cut" | "failed" | "postponed";
  readonly blocks: readonly Block[];
  /** Null when no end mark came. */
  readonly usage: Usage | null;
  /** Provider and model id, e.g. `anthropic/claude-sonnet-4-5`. */
  readonly model: string;
  /** Set when the outcome is `failed` or `postponed`. */
  readonly failure?: Pick<Failure, "code" | "message">;
  /** Set when the outcome is `postponed`. */
  readonly retry?: Retry;
  /** The instant the round ended. */
  readonly at: number;
}

/** The bounds of one round. */
export interface RoundLimits {
  /** Tries of the request, the first included. */
  readonly tries: number;
  /** ms without a sign from the stream. */
  readonly silence: number;
  /** ms; the round does not sit out a longer wait. */
  readonly slowRetry: number;
}
