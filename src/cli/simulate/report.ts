import type { SimulationFailure, SimulationReport } from "../../testing/simulation/simulate.ts";
import type { Paint } from "../run/paint.ts";

const number = (value: number): string => value.toLocaleString("en");

const missedLines = (what: string, missed: readonly string[]): string[] =>
  missed.length === 0 ? [] : [`${what} never met:`, ...missed.map((name) => `  ${name}`)];

/** What a person needs to play it again, and to see what happened. `again`: the command that plays the seed alone. */
const failureLines = ({ seed, faults, shrunk }: SimulationFailure, again: string, paint: Paint): string[] => [
  paint("failure", `seed ${seed} breaks a rule:`),
  ...faults.map((fault) => `  ${fault}`),
  "",
  `A shorter story, of ${shrunk.story.steps.length} steps, that does too:`,
  ...shrunk.log.map((line) => `  ${line}`),
  ...shrunk.faults.map((fault) => paint("failure", `  ${fault}`)),
  ...(shrunk.scenario ? ["", "As a scenario file:", JSON.stringify({ version: 1, scenarios: [shrunk.scenario] })] : []),
  "",
  `Play it again: ${again}`,
];

export const reportLines = (report: SimulationReport, again: (seed: number) => string, paint: Paint): string[] => {
  const { stories, steps, inputs, crashes, transitions, crashPoints, ms, failure } = report;
  return [
    ...(failure ? [...failureLines(failure, again(failure.seed), paint), ""] : []),
    `${number(stories)} stories, ${number(steps)} steps, ${number(inputs)} inputs accepted, ${number(crashes)} crashes, ` +
      `${(ms / 1_000).toFixed(1)} s`,
    `transitions of the thread machine: ${transitions.covered} of ${transitions.of}`,
    `crash points: ${crashPoints.covered} of ${crashPoints.of}`,
    ...missedLines("transitions", transitions.missed),
    ...missedLines("crash points", crashPoints.missed),
    failure ? paint("failure", "a rule is broken") : paint("result", "no rule is broken"),
  ];
};
