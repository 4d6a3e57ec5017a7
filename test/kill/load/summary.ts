import type { Kills } from "./siege.ts";
import type { Tally } from "./tally.ts";

const told = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

/** The counts of a load in one line. */
export const summaryOf = (kills: Kills, tally: Tally): string => {
  const { sent, acknowledged, processed, lost, doubled, missed, faults, met } = tally;
  const counts = { lost: lost.length, doubled: doubled.length, missed: missed.length, faults: faults.length };
  return `killed: ${told({ ...kills })}; ${told({ sent, acknowledged, processed, ...counts })} (${told(met)})`;
};

/** What a load has to meet, so that nothing wrong in it means something. */
export const unmetIn = ({ met }: Tally): string[] => Object.keys(met).filter((name) => met[name] === 0);

/** Everything that must not be, named. */
export const wrongIn = ({ sent, acknowledged, processed, lost, doubled, missed, faults }: Tally): string[] => [
  ...lost.map((key) => `R1: ${key} was acknowledged and is lost`),
  ...doubled.map((what) => `R2, R7: ${what} is there twice`),
  ...missed.map((fact) => `the reader missed ${fact}`),
  ...faults.map((fault) => `R5: ${fault}`),
  ...(acknowledged < sent ? [`R9: ${sent - acknowledged} were never acknowledged`] : []),
  ...(processed < sent ? [`R9: ${sent - processed} were never processed`] : []),
];
