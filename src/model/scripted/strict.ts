import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Check, Limits } from "./strict/check.ts";
import { blank_texts, call_inputs, empty_messages, no_files, sendable_text, signed_parts } from "./strict/content.ts";
import { call_ids, tool_names } from "./strict/names.ts";
import {
  calls_end_their_turn,
  ends_on_input,
  first_is_input,
  no_reasoning_before_user,
  system_first,
} from "./strict/order.ts";
import { answered_calls, results_have_calls, results_in_order } from "./strict/pairs.ts";

/** What real providers refuse a request for, each by name. */
export const strictChecks = {
  answered_calls,
  results_have_calls,
  results_in_order,
  ends_on_input,
  no_reasoning_before_user,
  first_is_input,
  system_first,
  calls_end_their_turn,
  empty_messages,
  blank_texts,
  sendable_text,
  call_inputs,
  call_ids,
  tool_names,
  no_files,
  signed_parts,
} as const satisfies Record<string, Check>;

export type StrictCheck = keyof typeof strictChecks;

/** The invariants that the scenario format names; no limit of a provider is among them. */
export const scenarioInvariants = [
  "answered_calls",
  "results_have_calls",
  "ends_on_input",
  "no_reasoning_before_user",
] as const satisfies readonly StrictCheck[];

export interface StrictOptions {
  /** Refuse calls and reasoning without the signature the model gave. Default false. */
  readonly signatures?: boolean | undefined;
  /** Longest tool name. Default 64. */
  readonly nameLimit?: number | undefined;
  /** Longest call id. Default 64. */
  readonly idLimit?: number | undefined;
  /** Take images and other files. Default true. */
  readonly files?: boolean | undefined;
  /** Make these checks and no others. */
  readonly only?: readonly StrictCheck[] | undefined;
}

export interface RefusalOptions extends StrictOptions {
  /** The tools that are offered, to check their names. */
  readonly tools?: LanguageModelV4CallOptions["tools"] | undefined;
}

/** Every fault as `<check>: <place>: <what is wrong>`; empty when a real provider would take the request. */
export const refusalsOf = (prompt: LanguageModelV4Prompt, options: RefusalOptions = {}): string[] => {
  const limits: Limits = {
    nameLimit: options.nameLimit ?? 64,
    idLimit: options.idLimit ?? 64,
    signatures: options.signatures ?? false,
    files: options.files ?? true,
    tools: options.tools ?? [],
  };
  const names = options.only ?? (Object.keys(strictChecks) as StrictCheck[]);
  const refusals: string[] = [];
  for (const name of names) for (const fault of strictChecks[name](prompt, limits)) refusals.push(`${name}: ${fault}`);
  return refusals;
};
