import type { ThreadState } from "../../machines/thread/commit.ts";
import type { FeedItem } from "../../machines/thread/facts.ts";
import type { WaitingInput } from "../../machines/thread/input.ts";

/** What only somebody who watches sees: deltas of the open round, and moments between two commits. Not in the feed. */
export type LiveUpdate = { readonly threadId: string; readonly at: number } & (
  | { readonly type: "input.deferred"; readonly dedupId: string; readonly kind: WaitingInput["input"]["kind"] }
  /** A request to the model goes out. `inputs`: what the round begins with, in the order of the batch. */
  | { readonly type: "round.started"; readonly inputs: readonly WaitingInput[] }
  /** The try failed and is made again in `wait` ms. What the try had shown is void. */
  | { readonly type: "round.retried"; readonly attempt: number; readonly wait: number; readonly message: string }
  /** The slice cannot begin yet: the thread's configuration could not be had, and is asked for again in `wait` ms. */
  | { readonly type: "configuration.failed"; readonly attempt: number; readonly wait: number; readonly message: string }
  /** The view up to a position is being summarised; `history.compacted` says how that ended. */
  | { readonly type: "history.compacting"; readonly upTo: number }
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "thinking.started" }
  | { readonly type: "thinking.delta"; readonly text: string }
  | { readonly type: "thinking.ended" }
  /**
   * The thread left rest, or is back in the rest that its record never left: a call was handed over. Other states that it
   * comes to rest in are facts, with a feed position.
   */
  | { readonly type: "state.changed"; readonly state: ThreadState }
  /** This reader fell behind: what it missed is in the feed after `after`. */
  | { readonly type: "gap"; readonly after: number }
);

/** One thing that happened in a thread: a durable fact (it has `feed`), or something live. */
export type Update = FeedItem | LiveUpdate;
export type UpdateType = Update["type"];

/** A live update without what the thread adds. */
export type Announcement = LiveUpdate extends infer U
  ? U extends LiveUpdate
    ? Omit<U, "threadId" | "at">
    : never
  : never;
