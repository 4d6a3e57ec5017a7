import type { Expectations } from "./expectation-schema.ts";
import { knownToolFields, type Scenario } from "./schema.ts";
import type { ScenarioCall, Step } from "./step-schema.ts";

/**
 * What this player and the system it plays against can do. A feature that arrives moves its line from `false` to `true`,
 * and its scenarios are played from then on.
 */
const support = {
  "child threads": true,
  choices: true,
  "OAuth prompts": true,
  "view updates": true,
  snapshots: true,
  compaction: true,
  halt: true,
  closing: true,
  "step mode": true,
  restart: true,
  "restart of calls that were not acknowledged": true,
  "graceful restart": true,
  "model switch": true,
  "model switch of one thread among several": false,
  images: true,
  "failing model resolution": false,
  cancel_subscription: true,
  sleep_until: true,
  read_result: true,
};
export type Need = keyof typeof support;

/** What a scenario can ask for beyond the first thread that works; each is named as a report names it. */
export const needs = Object.keys(support) as readonly Need[];

const needOfBuiltin: Readonly<Record<string, Need>> = {
  spawn_thread: "child threads",
  report_to_parent: "child threads",
  send_message_to_child: "child threads",
  close_thread: "closing",
  cancel_subscription: "cancel_subscription",
  sleep_until: "sleep_until",
  read_result: "read_result",
};

const needOfOp: Partial<Record<Step["op"], Need>> = {
  child_report: "child threads",
  parent_message: "child threads",
  oauth: "OAuth prompts",
  user_choice: "choices",
  answer_choice: "choices",
  view_update: "view updates",
  attach: "snapshots",
  compact: "compaction",
  halt: "halt",
  step: "step mode",
  fail_next: "failing model resolution",
};

const needOfEvent: Readonly<Record<string, Need>> = {
  oauth_required: "OAuth prompts",
  user_choice_required: "choices",
  user_choice_dismissed: "choices",
  compaction_applied: "compaction",
  view_update: "view updates",
};

const callsOf = (step: Step): readonly ScenarioCall[] => {
  if (step.op === "model_tool_calls") return step.calls;
  if (step.op !== "model_stream") return [];
  return step.chunks.flatMap((chunk) => ("tool_call" in chunk ? [chunk.tool_call] : []));
};

const expectationsOf = ({ steps, expect }: Scenario): readonly Expectations[] => [
  ...steps.flatMap((step) => (step.op === "checkpoint" ? [step.expect] : [])),
  expect,
];

/** Steps with those inside batches, each on its own. */
const flat = (steps: readonly Step[]): readonly Step[] =>
  steps.flatMap((step): readonly Step[] =>
    step.op === "batch" || step.op === "step" ? [step, ...step.inputs] : [step],
  );

const threadsOf = (steps: readonly Step[]): ReadonlySet<string> =>
  new Set(steps.flatMap((step) => ("thread" in step ? [step.thread] : [])));

function* needsOfStep(step: Step, scenario: Scenario): Generator<Need | undefined> {
  yield needOfOp[step.op];
  if (step.op === "restart") yield step.mode === "crash" ? "restart" : "graceful restart";
  if (step.op === "restart" && scenario.tools.some(({ dispatch }) => dispatch === "slow"))
    yield "restart of calls that were not acknowledged";
  if (step.op === "subscription_event" && step.mode === "threaded") yield "child threads";
  if (step.op === "tool_result" && step.content?.some(({ type }) => type === "image")) yield "images";
  if (step.op === "switch_model")
    yield threadsOf(scenario.steps).size > 1 ? "model switch of one thread among several" : "model switch";
  if (!scenario.builtins) return;
  const own = new Set(scenario.tools.map(({ name }) => name));
  for (const { name } of callsOf(step))
    if (!own.has(name) && Object.hasOwn(needOfBuiltin, name)) yield needOfBuiltin[name];
}

function* needsOfExpectations(expect: Expectations): Generator<Need | undefined> {
  for (const { type } of expect.events ?? []) yield type && needOfEvent[type];
  if (expect.pending_choices?.length || expect.choice_responses?.length) yield "choices";
  if (expect.thread_closed_notifications?.length) yield "closing";
  if (expect.snapshots) yield "snapshots";
  if (expect.final_state === "closed" || Object.values(expect.threads ?? {}).includes("closed")) yield "closing";
}

/**
 * What a scenario needs, from its content: operations, tools, built-ins that its model calls, expectations. Sorted as in
 * `needs`; tool fields this player does not know come last, by name.
 */
export const needsOf = (scenario: Scenario): readonly string[] => {
  const found = new Set<Need>();
  const add = (need: Need | undefined) => need && found.add(need);
  if (scenario.mode === "step") add("step mode");
  if (scenario.model.context_window > 0) add("compaction");
  if (scenario.model.supports_images) add("images");
  for (const step of flat(scenario.steps)) for (const need of needsOfStep(step, scenario)) add(need);
  for (const expect of expectationsOf(scenario)) for (const need of needsOfExpectations(expect)) add(need);
  if (JSON.stringify([scenario.steps, scenario.expect]).includes("$child")) add("child threads");
  if (/#compaction"/.test(JSON.stringify([scenario.steps, scenario.expect]))) add("compaction");
  const fields = scenario.tools
    .flatMap((tool) => Object.keys(tool))
    .filter((field) => !knownToolFields.includes(field));
  return [...needs.filter((need) => found.has(need)), ...new Set(fields.map((field) => `tool field ${field}`))];
};

/** The needs of a scenario that are not met: it is skipped when there are any. `supports`: which needs count as met. */
export const unmetNeedsOf = (
  scenario: Scenario,
  supports: (need: string) => boolean = (need) => support[need as Need] ?? false,
): readonly string[] => needsOf(scenario).filter((need) => !supports(need));
