import type { CallId, ThreadId } from "../../../machines/history/ids.ts";
import type { ToolCall } from "../../tool/call.ts";
import type { Life } from "./life.ts";
import type { Record } from "./record.ts";

/** A tool was called. */
export interface Begun {
  readonly name: string;
  readonly callId: CallId;
  readonly threadId: ThreadId;
  /** What the store knew of the call at that moment. */
  readonly durable: boolean;
  /** Nobody has approved it. */
  readonly proposed: boolean;
  readonly started: boolean;
  /** A result of the call was durable when the process read the thread. One that came later may be told too late. */
  readonly answered: boolean;
  readonly closed: boolean;
  /** In which process. */
  readonly life: number;
  /** Another process has taken over, and this one does not know yet. */
  readonly unaware: boolean;
}

export const begunOf = (
  record: Record,
  name: string,
  { id: callId, threadId }: ToolCall,
  life: Life,
  unaware: boolean,
): Begun => {
  const page = record.page(threadId);
  return {
    name,
    callId,
    threadId,
    durable: page.calls.has(callId),
    proposed: page.proposed.has(callId),
    started: page.started.has(callId),
    answered: record.isAnswered(threadId, callId, life.read.get(threadId) ?? 0),
    closed: page.state === "closed",
    life: life.index,
    unaware,
  };
};
