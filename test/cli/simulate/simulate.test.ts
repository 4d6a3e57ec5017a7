import { describe, expect, it } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { reportLines } from "../../../src/cli/simulate/report.ts";
import type { SimulationReport } from "../../../src/testing/simulation/simulate.ts";
import { fakeIo } from "../fake-io.ts";

const simulated = async (...args: string[]) => {
  const { io, written } = fakeIo();
  const code = await main(["simulate", ...args], io);
  return { code, ...written };
};

describe("wakeful simulate", () => {
  it("says how much was played and met, and that no rule is broken", async () => {
    const { code, out } = await simulated("--seeds", "1..5", "--crashes");
    expect(code).toBe(0);
    expect(out).toMatch(/^5 stories, \d+ steps, \d+ inputs accepted, \d+ crashes, \d+\.\d s\n/);
    expect(out).toMatch(/transitions of the thread machine: \d+ of \d+\ncrash points: \d+ of 10\n/);
    expect(out.endsWith("no rule is broken\n")).toBe(true);
  });

  it("prints one JSON object with --json", async () => {
    const { code, out } = await simulated("--seeds", "7", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ stories: 1, crashes: 0, failure: null });
  });

  it.each([
    [["--seeds", "9..3"], "is no range"],
    [["--seeds", "some"], "is no range"],
    [["--minutes", "0"], "positive number"],
    [["--store", "paper"], "Allowed choices"],
  ])("refuses %j as a mistake", async (args, said) => {
    const { code, err } = await simulated(...args);
    expect(code).toBe(2);
    expect(err).toContain(said);
  });

  it("shows the seed, the shorter story and how to play it again when a rule is broken", () => {
    const none = { covered: 1, of: 1, missed: [] };
    const failure: SimulationReport["failure"] = {
      seed: 4,
      faults: ["R1: an input is nowhere"],
      shrunk: {
        story: { seed: 4, chance: 1, signs: false, configures: false, steps: [{ do: "crash", lets: 1 }] },
        faults: ["R1: another is nowhere"],
        log: ["process 0 ends"],
        scenario: null,
      },
    };
    const counts = { stories: 4, steps: 90, inputs: 7, crashes: 2, transitions: none, crashPoints: none, ms: 100 };
    const lines = reportLines(
      { ...counts, failure },
      (seed) => `again ${seed}`,
      (_, text) => text,
    );
    expect(lines.join("\n")).toBe(
      [
        "seed 4 breaks a rule:",
        "  R1: an input is nowhere",
        "",
        "A shorter story, of 1 steps, that does too:",
        "  process 0 ends",
        "  R1: another is nowhere",
        "",
        "Play it again: again 4",
        "",
        "4 stories, 90 steps, 7 inputs accepted, 2 crashes, 0.1 s",
        "transitions of the thread machine: 1 of 1",
        "crash points: 1 of 1",
        "a rule is broken",
      ].join("\n"),
    );
  });
});
