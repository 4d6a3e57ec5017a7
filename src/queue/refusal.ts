import { InputRefusedError } from "../errors.ts";
import type { Acceptance } from "../store/store.ts";

const reasons: Record<Extract<Acceptance, { status: "refused" }>["reason"], string> = {
  "unknown-thread": "there is no such thread. Open or launch it first; an input creates nothing.",
  "inbox-full": "its inbox is full. Send it again when the thread has worked some of it off.",
  "thread-closed": "it is closed and takes no more inputs.",
};

/** True for what was new, false for a repetition. Throws InputRefusedError for what was refused. */
export const freshness = (threadId: string, acceptance: Acceptance): boolean => {
  if (acceptance.status === "refused")
    throw new InputRefusedError(threadId, reasons[acceptance.reason], { mayPass: acceptance.reason === "inbox-full" });
  return acceptance.status === "accepted";
};
