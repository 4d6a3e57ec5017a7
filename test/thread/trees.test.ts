import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isActive } from "../../machines/thread/commit.ts";
import type { Fold } from "../support/thread/fold.ts";
import { ToldTree } from "../support/thread/told-tree.ts";
import { faultsAtRest } from "../support/thread/tree-rest.ts";
import { faultsNow, faultsOfRequest } from "../support/thread/tree-rules.ts";
import { peacefulStory, type Step, treeStory } from "../support/thread/tree-story.ts";

const faults = ({ tree }: ToldTree): readonly string[] => [
  ...faultsNow(tree, tree.touched),
  ...[...tree.touched].flatMap((threadId) =>
    tree.fold(threadId).waits("round") ? faultsOfRequest(tree, threadId, settledNow(tree.fold(threadId))) : [],
  ),
];

/** Calls whose results the slice has taken, and not committed yet. */
const settledNow = ({ context }: Fold): readonly string[] => context.slice.settled;

const holdsOf = (stories: fc.Arbitrary<Step[]>, numRuns: number, last: (told: ToldTree) => void) =>
  fc.assert(
    fc.property(stories, (steps) => {
      const told = new ToldTree(faults).tell(steps);
      last(told);
      told.finish().faults.push(...faultsAtRest(told));
      expect([...new Set(told.faults)].slice(0, 5).join("\n")).toBe("");
    }),
    { numRuns },
  );

const open = ({ tree }: ToldTree) =>
  tree.threads.filter((threadId) => !tree.isClosed(threadId)).map((threadId) => tree.fold(threadId));

const claim = (told: ToldTree, holds: boolean, fault: string) => holds || told.faults.push(fault);

describe("a tree of threads keeps R1 to R9 and loses nothing that its threads tell each other", () => {
  it("whatever happens to it, kills and reloads included", () => holdsOf(treeStory, 250, () => {}));

  it("and hears every report and message where nobody stops or closes a thread from outside", () =>
    holdsOf(peacefulStory, 150, (told) => {
      told.finish();
      const { tree } = told;
      for (const threadId of tree.threads)
        for (const { facts } of tree.fold(threadId).commits)
          for (const fact of facts) {
            if (fact.type !== "input.discarded") continue;
            const passesAway = fact.reason === "closed" && tree.isClosed(threadId);
            const isOurs = !told.sentIds.has(fact.dedupId);
            claim(told, passesAway || !isOurs, `${fact.kind} ${fact.dedupId} was discarded: ${fact.reason}`);
          }
    }));

  it("can be stopped: an interrupt ends the work of every thread it is sent to, and of no other (R9)", () =>
    holdsOf(treeStory, 100, (told) => {
      told.finish();
      for (const { place } of open(told)) told.send(place.threadId, { kind: "interrupt" });
      told.finish();
      for (const { place, stored } of open(told))
        claim(told, !stored.calls.some(isActive), `R9: an interrupt does not end the work of ${place.threadId}`);
    }));

  it("is halted as a whole in the middle of everything, and goes on as a whole", () =>
    holdsOf(treeStory, 100, (told) => {
      const { tree } = told;
      const halted = () => open(told).filter(({ stored }) => stored.record.halted).length;
      if (!told.send(tree.root, { kind: "halt" })) return;
      told.finish();
      claim(told, halted() === open(told).length, "a halt does not reach every thread below");
      claim(
        told,
        open(told).every(({ stored }) => stored.calls.length === 0),
        "R9: a halted thread has a call out",
      );
      told.send(tree.root, { kind: "text", text: "go on" } as never);
      told.finish();
      claim(told, halted() === 0, "a thread below is not resumed");
    }));

  it("is closed as a whole in the middle of everything", () =>
    holdsOf(treeStory, 100, (told) => {
      told.send(told.tree.root, { kind: "close" });
      told.finish();
      claim(told, open(told).length === 0, `${open(told).length} threads are open below a closed root`);
    }));
});
