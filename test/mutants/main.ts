/**
 * `npm run mutants`: breaks each guard and action of the charts, one at a time, and lists which tests notice. Arguments
 * narrow: `npm run mutants -- thread:guard` runs those whose id begins so. `--json` prints a line for each as it ends.
 * Ends with 1 when one survives without a reason, when a reason stands for none that survives, and when the tests fail
 * on the charts as they are.
 */
import { parseArgs } from "node:util";
import { type Mutant, mutants } from "./mutants.ts";
import { reasons } from "./reasons.ts";
import { type Trial, trial } from "./trial.ts";

/** Trials at once; each keeps a core busy. */
const atOnce = 2;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const chosen = mutants.filter(
  ({ id }) => positionals.length === 0 || positionals.some((start) => id.startsWith(start)),
);
if (chosen.length === 0) {
  console.error(`No mutant begins with ${positionals.join(" or ")}. There are, for example, ${mutants[0]?.id}.`);
  process.exit(1);
}

interface Outcome extends Trial {
  readonly mutant: Mutant;
  readonly noticed: boolean;
  readonly reason: string | undefined;
}

const wordFor = ({ noticed, reason }: Outcome): string => {
  if (noticed) return reason === undefined ? "noticed" : "noticed, so its reason is wrong";
  return reason === undefined ? "SURVIVES" : "survives";
};
const isWell = ({ noticed, reason }: Outcome): boolean => noticed === (reason === undefined);

const told = (outcome: Outcome): string => {
  const { mutant, noticed, reason, failed, ended, ms } = outcome;
  if (values.json) return JSON.stringify({ mutant: mutant.id, noticed, by: failed, ended, reason, ms });
  const by = ended === "by force" ? [`the tests did not end within ${Math.round(ms / 1_000)} s`] : failed;
  return [
    `${mutant.id}: ${wordFor(outcome)}`,
    ...(noticed ? by : [reason ?? ""]).filter(Boolean).map((line) => `    ${line}`),
  ].join("\n");
};

const bare = await trial(undefined, 600_000);
if (bare.failed.length > 0 || bare.passed === 0) {
  console.error(["The tests fail on the charts as they are:", ...bare.failed].join("\n"));
  process.exit(1);
}
const limit = bare.ms * 4 + 30_000;

const outcomes: Outcome[] = [];
const waiting = [...chosen];
const worker = async (): Promise<void> => {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const result = await trial(mutant.id, limit);
    const noticed = result.failed.length > 0 || result.ended === "by force";
    const outcome = { ...result, mutant, noticed, reason: reasons[mutant.id] };
    outcomes.push(outcome);
    console.log(told(outcome));
  }
};
await Promise.all(Array.from({ length: atOnce }, worker));

const wrong = outcomes.filter((outcome) => !isWell(outcome));
const survivors = outcomes.filter(({ noticed }) => !noticed);
if (!values.json)
  console.log(
    [
      `\n${outcomes.length} mutants: ${outcomes.length - survivors.length} noticed, ${survivors.length} survive.`,
      ...wrong.map((outcome) => `${outcome.mutant.id}: ${wordFor(outcome)}`),
    ].join("\n"),
  );
process.exitCode = wrong.length > 0 ? 1 : 0;
