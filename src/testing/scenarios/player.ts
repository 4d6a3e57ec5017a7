import { memoryStore } from "../../store/memory/memory-store.ts";
import type { Store } from "../../store/store.ts";
import { createSystem } from "../../system/create.ts";
import { type Difference, PlayStopped } from "./difference.ts";
import { differencesFrom } from "./expectations.ts";
import { messagesOf } from "./expected-requests.ts";
import { Envelopes } from "./inputs.ts";
import { violationsOf } from "./invariants.ts";
import { tellMessage } from "./messages.ts";
import { unmetNeedsOf } from "./needs.ts";
import { Play } from "./play.ts";
import type { Scenario } from "./schema.ts";
import { perform } from "./steps.ts";

export interface ScenarioOptions {
  /** A fresh, empty store for each scenario; it is closed afterwards. Default: the memory store. */
  readonly makeStore?: () => Store | Promise<Store>;
  /** ms since the epoch at which the scenario's clock begins. Default: 2026-01-01T00:00:00Z. */
  readonly now?: number;
  /** Makes the system that is held to the scenario. */
  readonly create?: typeof createSystem;
  /** Which needs are met; see `needsOf`. */
  readonly supports?: (need: string) => boolean;
}

export type ScenarioReport = { readonly id: string; readonly title: string } & (
  | { readonly outcome: "passed" }
  | { readonly outcome: "skipped"; readonly needs: readonly string[] }
  | {
      readonly outcome: "failed";
      readonly differences: readonly Difference[];
      /** What was refused at the door, and errors the runtime logged, in order: hints for who looks for the fault. */
      readonly notes: readonly string[];
    }
);

const defaultStart = Date.UTC(2026, 0, 1);

/** Checks requests that came since the last look against what must hold of every request. */
const createWatch = (play: Play) => {
  let checked = 0;
  return async (): Promise<readonly Omit<Difference, "where">[]> => {
    const differences: Omit<Difference, "where">[] = [];
    for (const request of play.seen.asked.slice(checked)) {
      const messages = await messagesOf(request);
      const violations = violationsOf(messages);
      const [first] = violations;
      if (first)
        differences.push({
          what: `invariant ${first.invariant}, request ${request.nth} of ${request.thread}: ${violations.map(({ text }) => text).join("; ")}`,
          rows: messages.map((message, at) => ({
            fits: !violations.some((violation) => violation.at === at),
            expected: "",
            seen: tellMessage(message),
          })),
        });
    }
    checked = play.seen.asked.length;
    return differences;
  };
};

const stoppedBy = (error: unknown): Omit<Difference, "where"> => {
  if (error instanceof PlayStopped) return error.difference;
  return {
    what: "an error that nobody expected",
    seen: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
};

const playSteps = async (play: Play): Promise<readonly Difference[]> => {
  const { steps, expect } = play.scenario;
  const differences: Difference[] = [];
  const envelopes = new Envelopes();
  const watch = createWatch(play);
  const { children } = play;
  const note = (where: string, found: readonly Omit<Difference, "where">[]) =>
    differences.push(...children.named(found).map((difference) => ({ where, ...difference })));
  let where = "before the first step";
  try {
    await play.start();
    for (const [index, step] of steps.entries()) {
      where = `steps[${index}] (${step.op})`;
      const [unknown] = step.op === "checkpoint" ? [] : children.unknownIn(step);
      if (unknown !== undefined)
        throw new PlayStopped(`the runtime has not created ${unknown}`, {
          seen: `threads it created so far: ${children.ids.length}`,
        });
      await perform(children.filled(step), envelopes, play);
      if (step.op === "checkpoint") note(where, await differencesFrom(step.expect, play));
      else await play.settle();
      note(where, await watch());
    }
    where = "at the end";
    note(where, await differencesFrom({ open_requests: [], ...expect }, play));
  } catch (error) {
    note(where, [stoppedBy(error)]);
  }
  return differences;
};

/**
 * Plays one scenario and reports. A scenario whose needs are not met is skipped. Rejects only when the store cannot be
 * made or closed: whatever the runtime does wrong is a failure of the scenario.
 */
export const playScenario = async (
  scenario: Scenario,
  { makeStore = memoryStore, now = defaultStart, create = createSystem, supports }: ScenarioOptions = {},
): Promise<ScenarioReport> => {
  const { id, title } = scenario;
  const needs = unmetNeedsOf(scenario, supports);
  if (needs.length > 0) return { id, title, outcome: "skipped", needs };
  const store = await makeStore();
  const play = new Play(scenario, { store, create, now });
  try {
    const differences = await playSteps(play);
    if (differences.length === 0) return { id, title, outcome: "passed" };
    return { id, title, outcome: "failed", differences, notes: play.children.named(play.seen.notes) };
  } finally {
    play.crash();
    await store.close();
  }
};

/** Plays scenarios one after the other, and reports each as it is done. */
export async function* playScenarios(
  scenarios: Iterable<Scenario>,
  options: ScenarioOptions = {},
): AsyncGenerator<ScenarioReport> {
  for (const scenario of scenarios) yield await playScenario(scenario, options);
}
