import type { JsonObject } from "../../../machines/history/json.ts";
import type { Envelope } from "../../../machines/thread/input.ts";
import type { Clock } from "../../clock.ts";
import type { ToolCall } from "../../tool/call.ts";
import { defineTool, type Tool } from "../../tool/define.ts";
import type { ScenarioTool } from "./schema.ts";

/** A call that one of the scenario's tools was handed. */
export interface Dispatched {
  readonly thread: string;
  readonly tool: string;
  readonly callId: string;
  readonly userId?: string;
  readonly ancestors: readonly string[];
  readonly signal: AbortSignal;
}

export interface ToolWorld {
  /** Stands still unless the player turns it; what waits on it outlives a crash. */
  readonly clock: Clock;
  dispatched(call: Dispatched): void;
  /** Delivers what a tool says by itself. */
  deliver(envelope: Envelope): void;
  /** Resolves when the scenario acknowledges the call. */
  acknowledgement(call: { readonly thread: string; readonly callId: string }): Promise<void>;
}

/** What a tool of another machine throws when it was answered with a status. */
class StatusError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`The tool server answered ${status}.`);
    this.status = status;
  }
}

const anything: JsonObject = { type: "object", additionalProperties: true };

const told = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** `{arg}` is replaced by that argument; an argument that is missing leaves nothing. */
export const fillTemplate = (template: string, args: JsonObject): string =>
  template.replace(/\{([^{}]+)\}/gu, (_, name: string) => told(args[name]));

/** Throws what a tool that cannot be reached throws. */
const answerTo = ({ name, dispatch }: ScenarioTool): void => {
  if (dispatch === "fail") throw new Error(`The tool ${name} could not be reached.`);
  if (typeof dispatch === "object" && (dispatch.http_status < 200 || dispatch.http_status > 299))
    throw new StatusError(dispatch.http_status);
};

const noteOf = (call: ToolCall, tool: string): Dispatched => ({
  thread: call.threadId,
  tool,
  callId: call.id,
  ...(call.userId !== undefined && { userId: call.userId }),
  ancestors: call.threadStack.slice(0, -1),
  signal: call.signal,
});

/** A wait with `seconds` ends by itself, unless the call is told to stop before. */
const startTimer = (seconds: unknown, call: ToolCall, world: ToolWorld): void => {
  if (typeof seconds !== "number") return;
  const ends = () => world.deliver(call.result(`${seconds} seconds are over.`));
  const id = world.clock.setTimeout(ends, seconds * 1_000);
  call.signal.addEventListener("abort", () => world.clock.clearTimeout(id), { once: true });
};

/** The scenario's tools as tools of a system. All but `sync` are delivered by hand: by a step, or as their kind says. */
export const scenarioTools = (tools: readonly ScenarioTool[], world: ToolWorld): readonly Tool[] =>
  tools.map((tool) => {
    const { name, kind, description = `The ${kind} tool ${name} of the scenario.`, input_schema = anything } = tool;
    const face = { name, description, inputSchema: input_schema };
    if (kind === "sync")
      return defineTool({
        ...face,
        inline(args) {
          answerTo(tool);
          return fillTemplate(tool.result ?? "", args);
        },
      });
    return defineTool({
      ...face,
      needsApproval: tool.needs_approval ?? false,
      passive: kind === "passive",
      async dispatch(args, call) {
        world.dispatched(noteOf(call, name));
        answerTo(tool);
        if (kind === "passive") startTimer(args.seconds, call, world);
        if (kind === "subscription" && tool.auto_result !== undefined)
          world.deliver(call.result(tool.auto_result, { subscription: true }));
        if (tool.dispatch === "slow") await world.acknowledgement({ thread: call.threadId, callId: call.id });
      },
    });
  });
