import { enqueueActions } from "xstate";
import type { CallId, ThreadId } from "../history/ids.ts";
import type { Call, Subscription, ThreadCommit } from "./commit.ts";
import type { WaitingInput } from "./input.ts";
import { type Ledger, messageOf } from "./ledger.ts";

/** What the chart asks of the runtime, and the data that goes with it. */

/**
 * What reaches a thread's actor: inputs that were accepted together, in the order of acceptance; word that what a slice
 * loads when it begins (the model's style, the configuration) is another now; word that the system stops; and word that
 * whoever runs the thread leaves it after the round that goes on.
 */
export type ThreadEvent =
  | { readonly type: "inputs.accepted"; readonly inputs: readonly WaitingInput[] }
  | { readonly type: "configuration.changed" }
  | { readonly type: "system.stopping"; readonly at: number }
  | { readonly type: "system.leaving" };

/** Calls that are handed to their tools, with the words that led to them. */
export interface HandOver {
  readonly threadId: ThreadId;
  readonly calls: readonly Call[];
  readonly message: string;
}

/** Why calls are told to stop. */
export type StopReason = "interrupted" | "woken early" | "deadline" | "too many subscriptions" | "halted" | "closed";

/** What the round needs to know of the thread: the request is built from the history and these entries. */
export interface RoundRequest extends Pick<Ledger["slice"], "entries" | "causes"> {
  readonly threadId: ThreadId;
  /** The request is for a summary, which was put together before. */
  readonly summarises?: true;
}

export const requestOf = ({ threadId, slice }: Ledger): RoundRequest => ({
  threadId,
  entries: slice.entries,
  causes: slice.goesOn ? [] : slice.causes,
});

export const handOverOf = ({ threadId, slice }: Ledger, calls: readonly Call[]): HandOver => ({
  threadId,
  calls,
  message: messageOf(slice.causes),
});

/** What the chart asks of the runtime, with what it needs to do it. */
type Effect =
  | { type: "record"; params: { commit: ThreadCommit } }
  | { type: "abort"; params: { calls: readonly CallId[]; reason: StopReason } }
  | { type: "resume"; params: { subscriptions: readonly Subscription[] } }
  | { type: "announce"; params: { deferred: readonly WaitingInput[] } };

/** An action that changes the ledger and asks for effects; typed here because `setup` cannot see its own actions. */
export const withEffects = <Params extends object | undefined = undefined>(
  collect: (
    scope: { context: Ledger; enqueue: ((effect: Effect) => void) & { assign(change: Partial<Ledger>): void } },
    params: Params,
  ) => void,
) =>
  enqueueActions<Ledger, ThreadEvent, Params, ThreadEvent, never, Effect, never, never, never>(
    ({ context, enqueue }, params) => collect({ context, enqueue }, params),
  );
