import type { Kills } from "./siege.ts";
import type { Tally } from "./tally.ts";

/** The counts of a load in one line. */
export const summaryOf = (kills: Kills, tally: Tally): string => {
  const counts = {
    sent: tally.sent,
    acknowledged: tally.acknowledged,
    processed: tally.processed,
    lost: tally.lost.length,
    doubled: tally.doubled.length,
    missed: tally.missed.length,
    turns: tally.turns,
    "calls begun": tally.begun,
    faults: tally.faults.length,
  };
  const killed = Object.entries(kills).map(([part, count]) => `${part} ${count}`);
  const told = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return `killed: ${killed.join(", ")}; ${told.join(", ")}`;
};

/** Everything that must not be, named. */
export const wrongIn = ({ sent, acknowledged, processed, lost, doubled, missed, faults }: Tally): string[] => [
  ...lost.map((key) => `R1: ${key} was acknowledged and is lost`),
  ...doubled.map((what) => `R2, R7: ${what} is there twice`),
  ...missed.map((text) => `the reader missed ${text}`),
  ...faults.map((fault) => `R5: ${fault}`),
  ...(acknowledged < sent ? [`R9: ${sent - acknowledged} were never acknowledged`] : []),
  ...(processed < sent ? [`R9: ${sent - processed} were never processed`] : []),
];
