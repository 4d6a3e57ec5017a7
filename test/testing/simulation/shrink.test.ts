import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shrink } from "../../../src/testing/simulation/shrink.ts";
import type { Step, Story } from "../../../src/testing/simulation/step.ts";

const pass = (ms: number): Step => ({ do: "pass", ms, lets: 3 });
const story = (steps: readonly Step[]): Story => ({ seed: 1, chance: 1, signs: false, configures: false, steps });
const passed = ({ steps }: Story) => steps.flatMap((step) => (step.do === "pass" ? [step.ms] : []));

describe("a story that fails", () => {
  it("is shortened to the steps that it takes, whatever stands between them", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 3, max: 50 }), { maxLength: 30 }), fc.nat(30), async (others, at) => {
        const steps = [...others.slice(0, at), 1, ...others.slice(at), 2].map(pass);
        const fails = async (tried: Story) => {
          const ms = passed(tried);
          return ms.includes(1) && ms.indexOf(2) > ms.indexOf(1);
        };
        expect(passed(await shrink(story(steps), fails))).toEqual([1, 2]);
      }),
    ));

  it("keeps no input and no word that it does not take", async () => {
    const input = (thread: number) => ({ thread, id: null, sketch: { kind: "interrupt" as const } });
    const long: Step = { do: "send", inputs: [1, 2, 3].map(input), there: false, lets: 0 };
    const says: Step = { do: "answer", pick: 0, said: [{ says: "text" }, { says: "blank" }], end: "final", lets: 0 };
    const fails = async ({ steps }: Story) =>
      steps.some((step) => step.do === "send" && step.inputs.some(({ thread }) => thread === 2)) &&
      steps.some((step) => step.do === "answer" && step.said.some((part) => part.says === "blank"));
    expect((await shrink(story([long, says]), fails)).steps).toMatchObject([
      { inputs: [{ thread: 2 }] },
      { said: [{ says: "blank" }] },
    ]);
  });

  it("is told without configurations of threads, where it does not take them", async () => {
    const configured = { ...story([pass(1)]), configures: true };
    expect((await shrink(configured, async () => true)).configures).toBe(false);
    expect((await shrink(configured, async ({ configures }) => configures)).configures).toBe(true);
  });

  it("ends after some hundred plays, however long it is", async () => {
    let plays = 0;
    await shrink(story(Array.from({ length: 2_000 }, () => pass(1))), async () => {
      plays++;
      return false;
    });
    expect(plays).toBeLessThanOrEqual(400);
  });
});
