import type { Block, RoundOutput, Usage } from "./turn.ts";

/** What the stream of one try tells its round: whole blocks, and how it ended. Deltas never come here. */
export type StreamEvent =
  | { readonly type: "block.ended"; readonly block: Block }
  | {
      readonly type: "stream.ended";
      readonly outcome: Extract<RoundOutput["outcome"], "finished" | "truncated" | "filtered">;
      readonly usage: Usage | null;
      /** Provider and model id. */
      readonly model: string;
      readonly at: number;
    }
  | {
      readonly type: "stream.failed";
      readonly retryable: boolean;
      readonly message: string;
      /** ms that the provider asked to wait. */
      readonly retryAfter?: number;
      /** In [0, 1): spreads the waits of many threads. */
      readonly jitter: number;
      /** Visible text of the block that was open. */
      readonly visible: string;
      readonly model: string;
      readonly at: number;
    }
  /** The answer to being told to stop: visible text of the block that was open. */
  | { readonly type: "stream.stopped"; readonly visible: string; readonly model: string; readonly at: number };

/** What the thread tells its round. `at`: the instant of the input that cuts it. */
export type RoundCommand = { readonly type: "round.cut"; readonly at: number };

/** What a round tells its stream. */
export type StreamCommand = { readonly type: "stream.stop" };
