import { failedChildText } from "../history/family-wording.ts";
import type { Failure } from "../round/turn.ts";
import { isActive, type ThreadState } from "./commit.ts";
import type { Envelope } from "./input.ts";
import type { Ledger } from "./ledger.ts";

/** The state that calls and subscriptions alone imply. */
export const restingState = ({ calls, subscriptions }: Pick<Ledger, "calls" | "subscriptions">): ThreadState => {
  if (calls.some(isActive)) return "awaitingActiveCall";
  if (calls.length > 0) return "idlePassive";
  return subscriptions.length > 0 ? "subscribed" : "idle";
};

/** What a thread comes to when a commit ends its slice. */
export interface Rest {
  readonly state: ThreadState;
  /** When it closes by itself, ms since the epoch. */
  readonly linger: number | null;
  /** What its parent hears of it. */
  readonly sent: readonly Envelope[];
}

/**
 * A thread that closes is closed once its children were told and none is left; its end is heard by its parent. A spawned
 * child's failure is heard too, unless it is tried again, or halts the parent as well; an event's child makes room for the next event by coming to rest.
 */
export const restOf = (ledger: Ledger, failure: Failure | null): Rest => {
  const { threadId, opening, record, children, now, limits, version } = ledger;
  const tell = (dedupId: string, input: Envelope["input"]): readonly Envelope[] =>
    opening ? [{ threadId: opening.parent, dedupId, input }] : [];
  if (record.closing?.told && children.length === 0) {
    const { report } = record.closing;
    return { state: "closed", linger: null, sent: tell("ended", { kind: "ended", child: threadId, report }) };
  }
  const state = restingState(ledger);
  const isEventChild = opening?.kind === "event";
  const failed =
    failure && failure.code !== "BUDGET_REACHED" && opening?.kind === "spawned" && !record.retry
      ? tell(`failed:${version}`, {
          kind: "report",
          child: threadId,
          text: failedChildText(threadId, failure.message),
          failed: true,
        })
      : [];
  const rested =
    isEventChild && state !== "awaitingActiveCall" ? tell("rested", { kind: "rested", child: threadId }) : [];
  const lingers = isEventChild && state === "idle" && children.length === 0 && !record.closing && !record.quarantined;
  return { state, linger: lingers ? now + limits.eventChildLinger : null, sent: [...failed, ...rested] };
};
