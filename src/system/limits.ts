import { OptionError } from "../errors.ts";
import type { ThreadEnvironment } from "../thread/environment.ts";
import type { Limits } from "./api.ts";

export const defaultLimits: Limits = {
  inbox: 1_000,
  inputSize: 1_000_000,
  rounds: 100,
  equalCalls: 5,
  tries: 11,
  silence: 60_000,
  slowRetry: 60_000,
  inlineTool: 10_000,
  openRequests: 32,
  subscriptions: 100,
  children: 50,
  depth: 5,
  eventChildrenAtOnce: 4,
  eventChildLinger: 3_600_000,
  approval: 86_400_000,
  restarts: 3,
  configuration: 10_000,
  hibernateAfter: 60_000,
  residents: 10_000,
  lease: 15_000,
  pollInterval: 250,
  readerBuffer: 10_000,
};

/** The defaults with what the application said. Throws OptionError for a limit that is unknown or no positive number. */
export const limitsOf = (given: Partial<Limits> = {}): Limits => {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultLimits, name))
      throw new OptionError(
        `limits.${name}`,
        `there is no such limit; there are ${Object.keys(defaultLimits).join(", ")}`,
      );
    if (typeof value !== "number" || !Number.isFinite(value) || value <= 0)
      throw new OptionError(`limits.${name}`, `is ${String(value)}; it takes a positive number`);
  }
  return { ...defaultLimits, ...given };
};

/** Those that a thread keeps itself. */
export const threadLimitsOf = (limits: Limits): ThreadEnvironment["limits"] => ({
  rounds: limits.rounds,
  equalCalls: limits.equalCalls,
  subscriptions: limits.subscriptions,
  children: limits.children,
  depth: limits.depth,
  eventChildrenAtOnce: limits.eventChildrenAtOnce,
  eventChildLinger: limits.eventChildLinger,
  approval: limits.approval,
  restarts: limits.restarts,
  inlineTool: limits.inlineTool,
  configuration: limits.configuration,
  round: { tries: limits.tries, silence: limits.silence, slowRetry: limits.slowRetry },
});
