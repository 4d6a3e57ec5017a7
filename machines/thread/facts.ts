import type { ContentItem, DisplaySegment, Entry, Origin } from "../history/entry.ts";
import type { CallId, ThreadId } from "../history/ids.ts";
import type { Json, JsonObject } from "../history/json.ts";
import type { Repair } from "../history/repair-report.ts";
import type { Failure, RoundOutput, Usage } from "../round/turn.ts";
import type { Choice, ChoiceAnswer } from "./choice.ts";
import type { DiscardReason, Quarantine, ThreadState } from "./commit.ts";
import type { ChildKind } from "./family.ts";
import type { Input, InputKind } from "./input.ts";

/**
 * What became durable, as the feed and `thread.updates()` tell it. The store adds the thread, the feed position and the
 * instant. Types are facts, `noun.pastTense`.
 */
export type Fact =
  | { readonly type: "input.accepted"; readonly dedupId: string; readonly input: Input }
  | {
      readonly type: "input.discarded";
      readonly dedupId: string;
      readonly kind: InputKind;
      readonly callId?: CallId;
      /** Of questions and answers: ids of answers to different questions never meet (R2). */
      readonly choiceId?: string;
      readonly reason: DiscardReason;
    }
  | { readonly type: "entry.added"; readonly position: number; readonly entry: Entry }
  | {
      readonly type: "call.made";
      readonly callId: CallId;
      readonly providerCallId: string;
      readonly name: string;
      readonly args: JsonObject;
      /** The display form; `name(args)` when the tool has none. */
      readonly display: string;
      readonly passive: boolean;
    }
  | {
      readonly type: "choice.opened";
      readonly choiceId: string;
      readonly callId: CallId;
      readonly kind: Choice["kind"];
      /** The tool that asks, or is to be called. */
      readonly name: string;
      readonly prompt: string;
      readonly choices: readonly string[];
      readonly default: number | null;
      readonly expiresAt: number | null;
    }
  /** A question of a tool that works elsewhere has its answer, and stays open until its call is settled. */
  | {
      readonly type: "choice.answered";
      readonly choiceId: string;
      readonly callId: CallId;
      readonly choice: string;
      readonly answer: ChoiceAnswer;
    }
  /** `withdrawn`: its call ended first. */
  | {
      readonly type: "choice.closed";
      readonly choiceId: string;
      readonly callId: CallId;
      readonly outcome: "answered" | "expired" | "withdrawn";
      readonly choice?: string;
      readonly answer?: ChoiceAnswer;
    }
  | { readonly type: "oauth.required"; readonly callId: CallId; readonly url: string }
  | { readonly type: "view.updated"; readonly viewType: string; readonly content: Json; readonly callId?: CallId }
  | { readonly type: "call.progressed"; readonly callId: CallId; readonly text: string }
  | {
      readonly type: "call.settled";
      readonly callId: CallId;
      readonly name: string;
      readonly origin: Origin;
      readonly content: readonly ContentItem[];
      readonly error?: true;
      readonly display?: readonly DisplaySegment[];
    }
  | { readonly type: "child.opened"; readonly childId: ThreadId; readonly kind: ChildKind; readonly callId: CallId }
  | { readonly type: "child.ended"; readonly childId: ThreadId; readonly callId: CallId }
  /** `budget`: the tree has used up what it may. Without a reason, its owner halted it. */
  | { readonly type: "thread.halted"; readonly reason?: "budget" }
  | { readonly type: "thread.resumed" }
  /** The stored history broke R5. `repairs`: the first hundred of `count`. */
  | { readonly type: "history.repaired"; readonly count: number; readonly repairs: readonly Repair[] }
  /**
   * `done`: requests begin with a summary of everything below `upTo`. `failed`: `message` says why, and nothing has changed.
   * `given up`: an input came first. `nothing`: somebody asked, and there is nothing that could be summarised.
   */
  | {
      readonly type: "history.compacted";
      readonly outcome: "done" | "failed" | "given up" | "nothing";
      readonly upTo: number | null;
      readonly usage: Usage | null;
      readonly message?: string;
    }
  | { readonly type: "thread.quarantined"; readonly reason: Quarantine["reason"]; readonly times: number }
  | { readonly type: "thread.released" }
  | { readonly type: "subscription.opened"; readonly callId: CallId; readonly name: string }
  | { readonly type: "subscription.ended"; readonly callId: CallId; readonly name: string }
  | {
      readonly type: "round.ended";
      readonly outcome: RoundOutput["outcome"];
      readonly usage: Usage | null;
      readonly model: string;
      /** The visible text of the turn, "" when it had none. */
      readonly text: string;
    }
  | { readonly type: "slice.ended"; readonly state: ThreadState }
  | { readonly type: "state.changed"; readonly state: ThreadState }
  | {
      readonly type: "failure";
      readonly code: Failure["code"] | "TOOL_FAILED";
      readonly message: string;
      readonly callId?: CallId;
      readonly reference?: string;
    };

/** A fact at its place in the feed of the store. */
export type FeedItem = Fact & {
  readonly threadId: string;
  /** Grows with every fact of every thread; survives restarts. */
  readonly feed: number;
  /** ms since the epoch. */
  readonly at: number;
};
