import { describe, expect, it } from "vitest";
import { playScenario } from "../../src/testing/scenarios/player.ts";
import type { Scenario } from "../../src/testing/scenarios/schema.ts";
import { faults } from "./faults.ts";
import { hunt } from "./hunt.ts";
import { checkFault } from "./plant.ts";

const named = (name: string) => faults.find((fault) => fault.name === name) as (typeof faults)[number];

describe("a planted fault", () => {
  it.each(faults)("fits the source as it is: $name", (fault) => expect(() => checkFault(fault)).not.toThrow());

  // The others: npm run planted.
  it.each(["a deferred input dropped on restart", "a call made before its approval"])(
    "is found, and its story shortened: %s",
    async (name) => {
      const { failure } = await hunt(named(name), "1..200");
      expect(failure?.shrunk.faults).not.toEqual([]);
      expect(failure?.shrunk.story.steps.length).toBeLessThan(8);
    },
    120_000,
  );

  it("can be played as a scenario, where the format can say it", async () => {
    const { failure } = await hunt(named("a finished tool run again"), "1..200");
    expect(failure?.shrunk.story.steps.length).toBeLessThan(8);
    const scenario = failure?.shrunk.scenario;
    expect(scenario).toBeTruthy();
    // What it says of the models that are asked at its end is the faulty runtime's.
    const played = await playScenario(scenario as Scenario);
    const differences = "differences" in played ? played.differences : [];
    expect(played.outcome).not.toBe("skipped");
    expect(differences.filter(({ what }) => what !== "open_requests")).toEqual([]);
  }, 120_000);
});
