import { crashPoints } from "../../crash-points.ts";
import type { ScriptedEnd } from "../../model/scripted/answer.ts";
import { type Dice, dice } from "./dice.ts";
import type { Addressed, Happening, How, Said, Sketch, Step, Story } from "./step.ts";

export interface StoryOptions {
  /** Processes end in the middle of everything. */
  readonly crashes: boolean;
  /** Several processes share the store. */
  readonly shared: boolean;
}

const picks = 40;

/** Approve, approve for good, deny, and what no question has. */
const choices: readonly (readonly [number, number])[] = [
  [5, 0],
  [4, 1],
  [2, 2],
  [0.5, 9],
];

const sketchOf = (chance: Dice): Sketch => {
  const pick = chance.below(picks);
  return chance.weighted<() => Sketch>([
    [8, () => ({ kind: "text", waits: chance.chance(0.4) })],
    [6, () => ({ kind: "result", pick, subscription: chance.chance(0.4), error: chance.chance(0.2) })],
    [8, () => ({ kind: "event", pick, associative: chance.chance(0.5), final: chance.chance(0.15) })],
    [1, () => ({ kind: "progress", pick })],
    [6, () => ({ kind: "answer", pick, choice: chance.weighted(choices) })],
    [2, () => ({ kind: "interrupt" })],
    [1, () => ({ kind: "halt" })],
    [0.5, () => ({ kind: "release" })],
    [1, () => ({ kind: "compact" })],
    [0.5, () => ({ kind: "close" })],
  ])();
};

const addressedOf = (chance: Dice): Addressed => ({
  thread: chance.chance(0.5) ? 0 : chance.below(picks),
  id: chance.chance(0.3) ? chance.below(5) : null,
  sketch: sketchOf(chance),
});

const tools: readonly (readonly [number, string])[] = [
  [2, "work"],
  [3, "hand"],
  [1.5, "timed"],
  [1.5, "watch"],
  [1.5, "follow"],
  [1, "nap"],
  [1, "doze"],
  [1, "add"],
  [1, "look"],
  [5, "pay"],
  [2.5, "wipe"],
  [3, "query"],
  [1.5, "inquire"],
  [1.2, "sleep"],
  [0.7, "sleep_until"],
  [0.7, "sleep_until_event_or_input"],
  [3, "spawn_thread"],
  [2, "report_to_parent"],
  [2, "send_message_to_child"],
  [1.5, "close_thread"],
  [1, "cancel_subscription"],
  [0.3, "nobody"],
  [0.3, "receive_event__injected"],
  [0.1, ""],
];

const hows: readonly (readonly [number, How])[] = [
  [12, "well"],
  [1, "throws"],
  [1, "nothing"],
  [1, "odd"],
  [1, "never"],
];

const saidOf = (chance: Dice): Said =>
  chance.chance(0.3)
    ? { says: chance.of(["text", "text", "blank", "reasoning", "unsigned reasoning"] as const) }
    : {
        says: "call",
        tool: chance.weighted(tools),
        how: chance.weighted(hows),
        pick: chance.below(picks),
        id: chance.of(["own", "own", "own", "own", "empty", "same"] as const),
        ...(chance.chance(0.04) && { garbled: true as const }),
      };

const endOf = (chance: Dice): ScriptedEnd =>
  chance.weighted<() => ScriptedEnd>([
    [24, () => "final"],
    [4, () => "open"],
    [2, () => chance.of(["truncated", "filtered", "drop"] as const)],
    [
      2,
      () => ({
        error: chance.of(["fatal", "transient", "transient"] as const),
        retryAfter: chance.of([undefined, 0, 2, 120]),
      }),
    ],
  ])();

const several = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

const happeningOf = (chance: Dice, { crashes, shared }: StoryOptions): Happening =>
  chance.weighted<() => Happening>([
    [
      7,
      () => ({
        do: "send",
        inputs: several(1 + (chance.chance(0.3) ? chance.below(3) : 0), () => addressedOf(chance)),
        there: chance.chance(0.4),
      }),
    ],
    [1, () => ({ do: "again", pick: chance.below(picks) })],
    [
      9,
      () => ({
        do: "answer",
        pick: chance.below(picks),
        said: several(chance.below(4), () => saidOf(chance)),
        end: endOf(chance),
      }),
    ],
    [
      3,
      () => ({
        do: "emit",
        pick: chance.below(picks),
        what: chance.of([
          ...(["associative", "associative", "threaded", "threaded", "threaded"] as const),
          ...(["repeat", "final", "complete", "error", "nonsense"] as const),
        ]),
      }),
    ],
    [2.5, () => ({ do: "pass", ms: chance.of([1, 500, 1_000, 5_000, 60_000]) })],
    [0.7, () => ({ do: "fail", times: 1 + chance.below(3) })],
    [0.3, () => ({ do: "switch" })],
    [
      0.5,
      () => ({
        do: "misconfigure",
        times: 1 + chance.below(3),
        how: chance.of(["throws", "odd", "never"] as const),
      }),
    ],
    [0.5, () => ({ do: "restart" })],
    [crashes ? 0.5 : 0, () => ({ do: "crash" })],
    [crashes ? 1.2 : 0, () => ({ do: "crash at", point: chance.of(crashPoints), nth: 1 + chance.below(3) })],
    [crashes && shared ? 0.7 : 0, () => ({ do: "take over" })],
  ])();

/** The story of a seed. */
export const storyOf = (seed: number, options: StoryOptions): Story => {
  const chance = dice(seed);
  const length = 8 + chance.below(40);
  const steps = several(length, (): Step => {
    const lets = chance.chance(0.3) ? chance.below(4) : 4 + chance.below(24);
    return { ...happeningOf(chance, options), lets };
  });
  const first: Step = {
    do: "send",
    inputs: several(1 + chance.below(2), () => ({
      thread: chance.below(2),
      id: null,
      sketch: { kind: "text", waits: false },
    })),
    there: false,
    lets: chance.below(24),
  };
  return {
    seed,
    chance: Math.floor(chance.next() * 2 ** 31),
    signs: chance.chance(0.25),
    configures: chance.chance(0.4),
    steps: [first, ...steps],
  };
};
