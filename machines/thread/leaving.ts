import { compacts } from "./compacting.ts";
import { batchWaits, roundIsDue, stopFollows, stopWaits, textInterrupts } from "./decide.ts";
import type { Ledger } from "./ledger.ts";

/** Whoever runs the thread leaves it, and a request to the model would come next: that is left to whoever comes next. */
export const leavesRound = (ledger: Ledger): boolean =>
  ledger.leaving &&
  (stopWaits(ledger) ||
    stopFollows(ledger) ||
    textInterrupts(ledger) ||
    compacts(ledger) ||
    roundIsDue(ledger) ||
    batchWaits(ledger));
