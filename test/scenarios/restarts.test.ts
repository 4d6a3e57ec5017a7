import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Expectations } from "../../src/testing/scenarios/expectation-schema.ts";
import { unmetNeedsOf } from "../../src/testing/scenarios/needs.ts";
import { playScenario } from "../../src/testing/scenarios/player.ts";
import { readScenarios } from "../../src/testing/scenarios/read.ts";
import { reportLines } from "../../src/testing/scenarios/report.ts";
import type { Scenario } from "../../src/testing/scenarios/schema.ts";
import type { Step } from "../../src/testing/scenarios/step-schema.ts";

const folder = new URL("./", import.meta.url);
const scenariosOf = (file: string) => readScenarios(readFileSync(new URL(file, folder), "utf8"), file);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort();

/** A call that was not acknowledged is the one thing that a restart may change: its tool may or may not have begun. */
const isPlayed = (scenario: Scenario): boolean =>
  unmetNeedsOf(scenario).length === 0 && scenario.tools.every(({ dispatch }) => dispatch !== "slow");

const noRound: Step = { op: "checkpoint", expect: { open_requests: [] } };

/** The steps before which no round is open. */
const rests = async (scenario: Scenario): Promise<readonly number[]> => {
  const steps = scenario.steps.flatMap((step) => [noRound, step]);
  const report = await playScenario({ ...scenario, steps });
  const busy = report.outcome === "failed" ? report.differences.map(({ where }) => where) : [];
  return [...scenario.steps.keys()].filter((at) => at > 0 && !busy.includes(`steps[${2 * at}] (checkpoint)`));
};

/** What a round leaves twice when it is asked again, and the interruption that it began with. */
const repeated: readonly string[] = [
  "model_requests",
  "model_request_count",
  "events",
  "events_absent",
  "outcomes",
  "cancellations",
];

const lasting = (expectations: Expectations): Expectations =>
  Object.fromEntries(Object.entries(expectations).filter(([key]) => !repeated.includes(key)));

const lastingOnly = (scenario: Scenario): Scenario => ({
  ...scenario,
  steps: scenario.steps.map((step) => (step.op === "checkpoint" ? { ...step, expect: lasting(step.expect) } : step)),
  expect: lasting(scenario.expect),
});

const expectRestart = async (scenario: Scenario, at: number, mode: "crash" | "graceful") => {
  const report = await playScenario({ ...scenario, steps: scenario.steps.toSpliced(at, 0, { op: "restart", mode }) });
  const about = `a ${mode} restart before steps[${at}]\n`;
  expect(about + reportLines(report).join("\n")).toBe(`${about}ok ${scenario.id} ${scenario.title}`);
};

describe("R1 R2 a restart at rest changes nothing in", () => {
  for (const scenario of files.flatMap(scenariosOf).filter(isPlayed))
    it(`${scenario.id} ${scenario.title}`, async () => {
      for (const at of await rests(scenario)) await expectRestart(scenario, at, at % 2 ? "crash" : "graceful");
    }, 60_000);
});

/** What came while the round that is cut was open joins its batch when it is asked again: F041 has one round less then. */
const joins = ["F041"];

describe("R1 R2 R4 a crash in an open round changes nothing that lasts in", () => {
  // In step mode nobody but the scenario brings a thread back.
  const isWhole = ({ id, mode, steps }: Scenario): boolean =>
    !joins.includes(id) && mode !== "step" && steps.every((step) => step.op !== "model_stream" || step.end !== "open");
  for (const scenario of files.flatMap(scenariosOf).filter(isPlayed).filter(isWhole))
    it(`${scenario.id} ${scenario.title}`, async () => {
      const story = lastingOnly(scenario);
      const known = await rests(scenario);
      for (const at of scenario.steps.keys())
        if (at > 0 && !known.includes(at)) await expectRestart(story, at, "crash");
    }, 60_000);
});
