import { z } from "zod";
import { JsonObject } from "../../../machines/history/json.ts";
import { Expectations } from "./expectation-schema.ts";
import { Step } from "./step-schema.ts";

/** The scenario format, version 1, as `FORMAT.md` beside the scenarios describes it. Unknown fields are refused. */

const Name = z.string().min(1);

/** A tool keeps fields this player does not know: what they ask for is a need, not an error (see `needsOf`). */
export const ScenarioTool = z.looseObject({
  name: Name,
  kind: z.enum(["dispatched", "sync", "passive", "subscription"]),
  description: z.string().optional(),
  /** JSON Schema of the arguments; default: anything. */
  input_schema: JsonObject.optional(),
  /** Of a `sync` tool: a template, `{arg}` stands for that argument. */
  result: z.string().optional(),
  /** Of a `subscription`: the first result, which arrives by itself. */
  auto_result: z.string().optional(),
  /** A person has to approve its calls: `answer_choice` does so, with "approve", "always approve" or "deny". */
  needs_approval: z.boolean().optional(),
  dispatch: z.union([z.enum(["ok", "fail", "slow"]), z.strictObject({ http_status: z.number().int() })]).default("ok"),
});
export type ScenarioTool = z.infer<typeof ScenarioTool>;

export const knownToolFields = Object.keys(ScenarioTool.shape);

export const Scenario = z.strictObject({
  id: Name,
  title: z.string(),
  group: z.string().optional(),
  mode: z.enum(["resident", "step"]).default("resident"),
  main_thread: Name.default("t1"),
  builtins: z.boolean().default(true),
  model: z
    .strictObject({ context_window: z.number().nonnegative().default(0), supports_images: z.boolean().default(false) })
    .default({ context_window: 0, supports_images: false }),
  /** Tokens that a tree of threads may use, until `set_budget` says otherwise. */
  budget: z.number().nonnegative().optional(),
  /** Seconds after which a request is asked again that was given up: for the first time, the second, and so on. */
  retry_after: z.array(z.number().positive()).optional(),
  tools: z.array(ScenarioTool).default([]),
  steps: z.array(Step),
  expect: Expectations.default({}),
  rap: z.enum(["MUST", "SHOULD"]).optional(),
});
export type Scenario = z.infer<typeof Scenario>;

export const ScenarioFile = z.strictObject({ version: z.literal(1), scenarios: z.array(Scenario) });
