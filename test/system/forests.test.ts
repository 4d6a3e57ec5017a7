import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isActive } from "../../machines/thread/commit.ts";
import { silentLogger } from "../../src/logger.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { Forest } from "../support/system/forest.ts";
import { forestStory } from "../support/system/forest-story.ts";
import { faultsAtRest } from "../support/thread/tree-rest.ts";

/** How a story ends, once everything rests. */
const endings = {
  async "with an interrupt"(forest: Forest) {
    forest.sendEach("interrupt");
    await forest.finish();
    for (const threadId of forest.tree.open)
      if (forest.tree.fold(threadId).stored.calls.some(isActive))
        forest.faults.push(`R9: an interrupt does not end the work of ${threadId}`);
  },
  async "with a halt"(forest: Forest) {
    const halted = () => forest.tree.open.filter((threadId) => forest.tree.fold(threadId).stored.record.halted);
    const roots = forest.roots.filter((root) => !forest.tree.isClosed(root));
    forest.sendEach("halt", roots);
    await forest.finish();
    if (halted().length < forest.tree.open.length) forest.faults.push("a halt does not reach every thread below");
    forest.sendEach("text", roots);
    await forest.finish();
    if (halted().length > 0) forest.faults.push(`${halted()} is not resumed`);
  },
  async "with a close"(forest: Forest) {
    forest.sendEach("close", forest.roots);
    await forest.finish();
    if (forest.tree.open.length > 0) forest.faults.push(`${forest.tree.open} is open below a closed root`);
  },
};

const holds = (numRuns: number, store: () => Store) =>
  fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      forestStory,
      fc.constantFrom(...(Object.keys(endings) as (keyof typeof endings)[])),
      fc.boolean(),
      // Coming and going makes a story three times as long.
      fc.constantFrom(400, 1e9, 1e9),
      async (scheduler, steps, ending, rests, hibernateAfter) => {
        const forest = await Forest.begin(scheduler, store(), hibernateAfter);
        await forest.play(steps);
        if (rests) {
          await forest.finish();
          forest.faults.push(...faultsAtRest(forest));
        }
        await endings[ending](forest);
        forest.faults.push(...faultsAtRest(forest));
        await forest.end();
        const refusals = forest.model.requests.flatMap(({ refusals }) => refusals.map((why) => `R5: ${why}`));
        expect([...new Set([...forest.faults, ...refusals])].slice(0, 5).join("\n")).toBe("");
      },
    ),
    { numRuns },
  );

describe("a system of families keeps R1 to R9 and loses nothing that threads tell each other, through crashes at every point", () => {
  it("on a store in memory", () => holds(110, memoryStore), 180_000);

  it(
    "on SQLite",
    () => holds(50, () => sqliteStore(":memory:", { synchronous: "normal", logger: silentLogger })),
    180_000,
  );
});
