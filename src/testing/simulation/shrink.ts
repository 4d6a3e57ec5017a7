import type { Said, Step, Story } from "./step.ts";

/** Plays that looking for a shorter story may take. */
const most = 400;

/** Tools that the scenario format has a word for, see `scenario.ts`. */
const told: ReadonlySet<string> = new Set(["hand", "nap", "add", "look", "watch", "follow"]);

/** The same said so that a scenario can say it too. */
const plainer = (said: Said): readonly Said[] => {
  if (said.says !== "call") return [];
  const tools = told.has(said.tool) ? [] : ["hand", "nap", "follow"];
  return [
    ...(said.how === "well" ? [] : [{ ...said, how: "well" as const }]),
    ...(said.id === "own" ? [] : [{ ...said, id: "own" as const }]),
    ...tools.map((tool) => ({ ...said, tool, how: "well" as const, id: "own" as const })),
  ];
};

/** A happening with less in it, the least first. */
const simpler = (step: Step): readonly Step[] => {
  switch (step.do) {
    case "send":
      return step.inputs.length > 1 ? step.inputs.map((input) => ({ ...step, inputs: [input] })) : [];
    case "answer":
      return [
        ...step.said.map((_, left) => ({ ...step, said: step.said.filter((_, index) => index !== left) })),
        ...step.said.flatMap((said, index) =>
          plainer(said).map((plain) => ({ ...step, said: step.said.with(index, plain) })),
        ),
      ];
    default:
      return [];
  }
};

/**
 * A shorter story that still fails, found by leaving out parts of it: configurations of threads, then halves, then quarters, then single steps, then what is
 * inside them, and last the chance that something is left pending between steps. Not the shortest: it gives up after some
 * hundred plays.
 */
export const shrink = async (story: Story, fails: (story: Story) => Promise<boolean>): Promise<Story> => {
  let best = story;
  let plays = 0;
  const takes = async (simplerStory: Story): Promise<boolean> => {
    if (plays >= most) return false;
    plays++;
    if (!(await fails(simplerStory))) return false;
    best = simplerStory;
    return true;
  };
  const keeps = (steps: readonly Step[]): Promise<boolean> => takes({ ...best, steps });
  if (best.configures) await takes({ ...best, configures: false });
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let again = true; again; ) {
      again = false;
      for (let from = 0; from < best.steps.length; ) {
        const without = [...best.steps.slice(0, from), ...best.steps.slice(from + size)];
        if (without.length > 0 && (await keeps(without))) again = size === 1;
        else from += size;
      }
    }
  }
  for (let index = 0; index < best.steps.length; index++) {
    for (let less = true; less; ) {
      less = false;
      for (const step of simpler(best.steps[index] as Step))
        if (await keeps(best.steps.with(index, step))) {
          less = true;
          break;
        }
    }
    const step = best.steps[index] as Step;
    await keeps(best.steps.with(index, { ...step, lets: settled }));
  }
  return best;
};

/** Enough for everything to end that can. */
const settled = 100;
