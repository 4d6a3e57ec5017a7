import type { Block, RoundOutput, Usage } from "./turn.ts";

/** What the end of every try carries. */
interface Ended {
  /** Provider and model id; "" when the try failed before its model was known. */
  readonly model: string;
  /** The instant it ended, ms since the epoch. */
  readonly at: number;
}

/** A try that came to no end mark. */
export interface BrokenTry extends Ended {
  /** What went wrong, as a whole sentence. */
  readonly message: string;
  /** False when asking again cannot help. Default true. */
  readonly retryable?: boolean;
  /**
   * What of the request the provider refused, where that is known: its length, or anything else in it. Unset when the
   * refusal was not about the request (a wrong key, an unknown model).
   */
  readonly refused?: "length" | "content";
  /** The request showed events as calls, which the model did not make. */
  readonly eventCalls?: boolean;
  /** ms that the provider asked to wait. */
  readonly retryAfter?: number;
  /** In [0, 1): spreads the waits of many threads. */
  readonly jitter: number;
  /** Visible text of the last block, where that was open; "" otherwise. */
  readonly visible: string;
}

/**
 * What the stream of one try tells its round: whole blocks, then exactly one of the others, and nothing after it. Deltas
 * never come here.
 */
export type StreamEvent =
  | { readonly type: "block.ended"; readonly block: Block }
  /** The end mark came. */
  | ({
      readonly type: "stream.ended";
      readonly outcome: Extract<RoundOutput["outcome"], "finished" | "truncated" | "filtered">;
      readonly usage: Usage | null;
    } & Ended)
  /** The request, or the stream, ended in an error. */
  | ({ readonly type: "stream.failed" } & BrokenTry)
  /** The stream came to its end without an end mark. */
  | ({ readonly type: "stream.dropped" } & BrokenTry)
  /** No sign of the model for as long as the round's limit of silence. */
  | ({ readonly type: "stream.stalled" } & BrokenTry)
  /** The answer to being told to stop. `visible` as in a try that broke. */
  | ({ readonly type: "stream.stopped"; readonly visible: string } & Ended);

/** What the thread tells its round. `at`: the instant of the input that cuts it. */
export type RoundCommand = { readonly type: "round.cut"; readonly at: number };

/** What a round tells its stream. */
export type StreamCommand = { readonly type: "stream.stop" };
