export {
  type ScriptedModel,
  type ScriptedOptions,
  type ScriptedReply,
  scriptedModel,
} from "../model/scripted/scripted-model.ts";
export type { ScriptedAnswer, ScriptedCall, ScriptedChunk, ScriptedFailure } from "../model/scripted/answer.ts";
export type { ScriptedRequest } from "../model/scripted/request.ts";
export { type RefusalOptions, refusalsOf, type StrictOptions } from "../model/scripted/strict.ts";
export { type VirtualClock, virtualClock } from "./virtual-clock.ts";
export { storeSuite } from "./store/suite.ts";
export type { MakeStore, StoreRequirement, StoreUnderTest } from "./store/requirement.ts";
export {
  type Covered,
  type SimulateOptions,
  type SimulationCounts,
  type SimulationFailure,
  type SimulationReport,
  simulate,
} from "./simulation/simulate.ts";
export type { Step, Story } from "./simulation/step.ts";
export { playScenarios, type ScenarioOptions, type ScenarioReport } from "./scenarios/player.ts";
export { readScenarios } from "./scenarios/read.ts";
export { reportLines } from "./scenarios/report.ts";
export type { Scenario } from "./scenarios/schema.ts";
