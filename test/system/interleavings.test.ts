import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultsAtEnd, faultsAtRest, watch } from "../support/system/rules.ts";
import { type Step, story, storyWithCrashes } from "../support/system/story.ts";
import { World } from "../support/system/world.ts";

/** Tells a story to a system, lets everything end that can end, then stops what is still out. */
const tell = async (scheduler: fc.Scheduler, steps: readonly Step[], signs: boolean): Promise<World> => {
  const world = await World.begin(scheduler, { signs });
  watch(world);
  await world.play(steps);
  await world.finish();
  world.faults.push(...faultsAtRest(world));
  for (const thread of world.threads) world.bring(thread.interrupt({ id: "the last" }));
  await world.finish();
  for (const { id, view } of world.threads)
    if (view().calls.some(({ passive }) => !passive))
      world.faults.push(`R9: an interrupt does not end the work of ${id}`);
  for (const thread of world.threads) world.bring(thread.send("and now?", { id: "the last", whileBusy: "wait" }));
  await world.finish();
  for (const thread of world.threads)
    if (thread.view().calls.length > 0) world.faults.push(`R9: ${thread.id} waits on, though something came`);
  world.faults.push(...faultsAtEnd(world));
  await world.stop();
  return world;
};

const keepsTheRules = (stories: fc.Arbitrary<readonly Step[]>, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), stories, fc.boolean(), async (scheduler, steps, signs) => {
      const world = await tell(scheduler, steps, signs);
      expect([...new Set(world.faults)].slice(0, 5).join("\n")).toBe("");
    }),
    { numRuns },
  );

describe("a running system keeps R1 to R9, in whatever order its operations end", { timeout: 180_000 }, () => {
  it("whatever happens to it", () => keepsTheRules(story, 250));

  it("also when its process ends in the middle of everything", () => keepsTheRules(storyWithCrashes, 250));
});
