import { crashPoints } from "../../crash-points.ts";
import type { Scenario } from "../scenarios/schema.ts";
import { Coverage, everyTransition } from "./coverage.ts";
import { type Play, playStory } from "./play.ts";
import { shrink } from "./shrink.ts";
import type { Story } from "./step.ts";
import { inMemory, type Stores } from "./stores.ts";
import { storyOf } from "./tell.ts";

export interface SimulateOptions {
  /** One story for each, in this order. Default: 1 to 100. */
  readonly seeds?: Iterable<number>;
  /** Processes end in the middle of everything. Default false. */
  readonly crashes?: boolean;
  /** Default `memory`. On `sqlite` several processes share a file: they send from elsewhere, and take over from each other. */
  readonly store?: "memory" | "sqlite";
  /** No story begins after so many ms. Default: all are played. */
  readonly limit?: number;
  /** Told after each story. */
  readonly onStory?: (soFar: SimulationCounts) => void;
}

/** How much of something all stories together met. */
export interface Covered {
  readonly covered: number;
  readonly of: number;
  /** By name. */
  readonly missed: readonly string[];
}

export interface SimulationCounts {
  readonly stories: number;
  readonly steps: number;
  /** Inputs that were accepted. */
  readonly inputs: number;
  readonly crashes: number;
  /** Of the thread's chart. */
  readonly transitions: Covered;
  readonly crashPoints: Covered;
}

export interface SimulationFailure {
  readonly seed: number;
  /** What breaks a rule, one sentence each. */
  readonly faults: readonly string[];
  /** The shorter story: its steps, and what its play came to. */
  readonly shrunk: {
    readonly story: Story;
    readonly faults: readonly string[];
    readonly log: readonly string[];
    /** The same in the scenario format, where that can say it; it expects nothing but what holds in every scenario. */
    readonly scenario: Scenario | null;
  };
}

export interface SimulationReport extends SimulationCounts {
  readonly ms: number;
  /** The first; nothing is played after it. */
  readonly failure: SimulationFailure | null;
}

const makers = {
  memory: async () => inMemory,
  sqlite: async () => (await import("./sqlite-files.ts")).inSqlite,
} as const satisfies { readonly [store: string]: () => Promise<() => Stores> };

const countTo = function* (last: number): Iterable<number> {
  for (let seed = 1; seed <= last; seed++) yield seed;
};

/** What two faults have in common when they differ in names and numbers alone. */
const kindOf = (fault: string): string => fault.replace(/[\w.#]*\d[\w.#]*/g, "…").slice(0, 60);

/**
 * Plays stories on whole systems, under a clock that stands until it is turned, and holds each to R1 to R9 from outside. A
 * seed tells the same story in every play and on every machine. Stops at the first story in which a rule is broken, and
 * looks for a shorter one that breaks it too.
 */
export const simulate = async (options: SimulateOptions = {}): Promise<SimulationReport> => {
  const { seeds = countTo(100), crashes = false, store = "memory", limit = Number.POSITIVE_INFINITY } = options;
  const stores = await makers[store]();
  const coverage = new Coverage();
  const began = performance.now();
  const counted = { stories: 0, steps: 0, inputs: 0, crashes: 0 };
  const counts = (): SimulationCounts => ({
    ...counted,
    transitions: coveredOf(coverage.transitions, everyTransition),
    crashPoints: coveredOf(coverage.points, crashPoints),
  });
  const report = (failure: SimulationFailure | null): SimulationReport => ({
    ...counts(),
    ms: Math.round(performance.now() - began),
    failure,
  });
  for (const seed of seeds) {
    if (performance.now() - began > limit) break;
    const story = storyOf(seed, { crashes, shared: store === "sqlite" });
    const play = await playStory(story, stores, coverage);
    counted.stories += 1;
    counted.steps += story.steps.length;
    counted.inputs += play.accepted;
    counted.crashes += play.crashes;
    options.onStory?.(counts());
    if (play.faults.length > 0) return report(await shorter(story, play, stores));
  }
  return report(null);
};

const coveredOf = (met: ReadonlySet<string>, all: readonly string[]): Covered => {
  const missed = all.filter((name) => !met.has(name));
  return { covered: all.length - missed.length, of: all.length, missed };
};

/** The story that failed, and a shorter one that fails the same way. What it meets counts for no coverage. */
const shorter = async (story: Story, play: Play, stores: () => Stores): Promise<SimulationFailure> => {
  const coverage = new Coverage();
  const kinds = new Set(play.faults.map(kindOf));
  let last = play;
  const found = await shrink(story, async (candidate) => {
    const again = await playStory(candidate, stores, coverage);
    if (!again.faults.some((fault) => kinds.has(kindOf(fault)))) return false;
    last = again;
    return true;
  });
  return {
    seed: story.seed,
    faults: play.faults,
    shrunk: { story: found, faults: last.faults, log: last.log, scenario: last.scenario },
  };
};
