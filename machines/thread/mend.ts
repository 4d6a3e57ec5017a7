import type { HistoryRepair } from "../history/repair.ts";
import { choicesOf } from "./asking.ts";
import type { Ledger } from "./ledger.ts";
import { noted } from "./noted.ts";

/** Repairs that the feed names. */
const most = 100;

/** The history is mended by one commit, before anything is done with it. What the record waited for and is gone is settled. */
export const mend = (ledger: Ledger, { entries, removed, settled, nextPosition, repairs }: HistoryRepair): Ledger => {
  const choices = choicesOf(ledger, settled);
  const mended = noted(
    ledger,
    { nextPosition },
    {
      repair: { entries, removed },
      calls: { made: [], settled },
      facts: [{ type: "history.repaired", count: repairs.length, repairs: repairs.slice(0, most) }, ...choices.facts],
    },
  );
  return {
    ...mended,
    calls: ledger.calls.filter(({ callId }) => !settled.includes(callId)),
    lost: ledger.lost.filter((callId) => !settled.includes(callId)),
    choices: choices.left,
  };
};
