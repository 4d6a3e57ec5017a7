import type { Scenario } from "../scenarios/schema.ts";
import type { Act } from "./act.ts";
import type { Coverage } from "./coverage.ts";
import { faultsAtEnd } from "./rules/end.ts";
import { faultsAtRest } from "./rules/rest.ts";
import { scenarioOf } from "./scenario.ts";
import type { Story } from "./step.ts";
import type { Stores } from "./stores.ts";
import { World } from "./world.ts";

/** What one play of a story came to. */
export interface Play {
  /** What breaks a rule, one sentence each; none when all is well. */
  readonly faults: readonly string[];
  /** What happened, in order. */
  readonly log: readonly string[];
  /** What was done to the system, in order. */
  readonly acts: readonly Act[];
  readonly crashes: number;
  readonly accepted: number;
  readonly commits: number;
  /** What failed, where the scenario format can say it. */
  readonly scenario: Scenario | null;
}

/**
 * Plays a story to its end: what can end by itself does; then the owner interrupts what is left, writes to everybody, and
 * closes the roots. After each of these everything rests, and the rules are looked at.
 */
export const playStory = async (story: Story, makeStores: () => Stores, coverage: Coverage): Promise<Play> => {
  const stores = makeStores();
  const world = new World(story, stores, coverage);
  const open = () => [...world.record.pages.values()].filter(({ state }) => state !== "closed");
  const rested = async () => world.blame(await faultsAtRest(world));
  let told: Parameters<typeof scenarioOf>[1] = { acts: [], open: [] };
  try {
    await world.play(story.steps);
    told = { acts: [...world.acts], open: world.openRequests.map(({ threadId }) => threadId) };
    world.log.push("everything comes to its end");
    await world.finish();
    await rested();
    const ids = () => open().map(({ threadId }) => threadId);
    if (world.faults.size === 0) {
      world.log.push("the owner interrupts what is left");
      await world.tell(ids(), () => ({ kind: "interrupt" }));
      await rested();
      for (const { threadId, calls } of open())
        if ([...calls.values()].some(({ passive }) => !passive))
          world.blame([`R9: an interrupt does not end the work of ${threadId}`]);
    }
    if (world.faults.size === 0) {
      world.log.push("the owner writes to everybody");
      await world.tell(ids(), () => ({ kind: "text", text: world.word("m") }));
      await rested();
      for (const { threadId, calls } of open())
        if (calls.size > 0) world.blame([`R9: ${threadId} waits on, though somebody wrote`]);
    }
    if (world.faults.size === 0) {
      world.log.push("the owner closes the roots");
      const roots = open().filter(({ opening }) => !opening);
      await world.tell(
        roots.map(({ threadId }) => threadId),
        () => ({ kind: "close" }),
      );
      await rested();
      for (const { threadId } of open()) world.blame([`R9: ${threadId} is open, and its root was closed`]);
    }
    world.blame(faultsAtEnd(world));
  } catch (error) {
    world.blame([`the story cannot be told: ${error instanceof Error ? error.stack : String(error)}`]);
  } finally {
    await world.end();
    await stores.end();
  }
  const { faults, log, acts, record, processes } = world;
  return {
    faults: [...faults],
    log,
    acts,
    crashes: processes.crashes,
    accepted: record.accepted.length,
    commits: record.changes,
    // What threads work with has no word in the format.
    scenario: faults.size > 0 && !story.configures ? scenarioOf(story.seed, told, record) : null,
  };
};
