import { describe, expect, it } from "vitest";
import { crashPoints } from "../../../src/crash-points.ts";
import { Coverage, everyTransition } from "../../../src/testing/simulation/coverage.ts";
import { playStory } from "../../../src/testing/simulation/play.ts";
import { simulate } from "../../../src/testing/simulation/simulate.ts";
import { inSqlite } from "../../../src/testing/simulation/sqlite-files.ts";
import { inMemory, type Stores } from "../../../src/testing/simulation/stores.ts";
import { storyOf } from "../../../src/testing/simulation/tell.ts";

const seeds = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Tells first what broke, and where. */
const broken = ({ failure }: Awaited<ReturnType<typeof simulate>>) =>
  failure && [`seed ${failure.seed}`, ...failure.faults, ...failure.shrunk.log];

const twice = async (seed: number, makeStores: () => Stores, shared: boolean) => {
  const play = () => playStory(storyOf(seed, { crashes: true, shared }), makeStores, new Coverage());
  return [await play(), await play()] as const;
};

describe("the simulator", () => {
  it("finds that R1 to R9 hold, whatever happens to a system", async () => {
    expect(broken(await simulate({ seeds: seeds(1, 100) }))).toBeNull();
  });

  it("finds that they hold when processes end in the middle of everything", async () => {
    const report = await simulate({ seeds: seeds(1, 150), crashes: true });
    expect(broken(report)).toBeNull();
    expect(report).toMatchObject({ stories: 150, crashPoints: { covered: crashPoints.length, missed: [] } });
    expect(report.crashes).toBeGreaterThan(50);
  });

  it("finds that they hold when several processes share a file", async () => {
    expect(broken(await simulate({ seeds: seeds(1, 25), crashes: true, store: "sqlite" }))).toBeNull();
  });

  it("tells the same story for a seed, and plays it the same way", async () => {
    for (const seed of seeds(1, 8)) {
      const [one, other] = await twice(seed, inMemory, false);
      expect(other).toEqual(one);
    }
  });

  it("plays it the same way on a file", async () => {
    const [one, other] = await twice(3, inSqlite, true);
    expect(other).toEqual(one);
  });

  it("counts what its stories met, and names what none did", async () => {
    const { transitions, stories } = await simulate({ seeds: [1] });
    expect(stories).toBe(1);
    expect(transitions.of).toBe(everyTransition.length);
    expect(transitions.covered + transitions.missed.length).toBe(transitions.of);
    expect(everyTransition).toContain("deciding: always [batchWaits] → running.preparing");
  });

  it("begins no story when its time is over", async () => {
    expect(await simulate({ seeds: seeds(1, 5), limit: -1 })).toMatchObject({ stories: 0, failure: null });
  });
});
