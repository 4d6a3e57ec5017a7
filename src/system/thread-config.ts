import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ThreadId } from "../../machines/history/ids.ts";
import type { JsonObject } from "../../machines/history/json.ts";
import type { Budget } from "../../machines/thread/budget.ts";
import type { Opening } from "../../machines/thread/family.ts";
import { ThreadConfigError } from "../errors.ts";
import { type ModelOptions, type ResolvedModelOptions, resolveModelOptions } from "../model/model.ts";
import type { LoadedThread, ThreadSpec } from "../store/store.ts";
import type { Configuration, Configured } from "../thread/configuration.ts";
import { isTool, type Tool } from "../tool/define.ts";
import type { Approval, ApprovalPolicy } from "../tool/toolset.ts";
import { problemOfBudget, sameBudget } from "./budget.ts";
import type { ToolShelf } from "./tools.ts";

/** For whom a configuration is asked. */
export interface ThreadConfigRequest {
  readonly threadId: ThreadId;
  readonly root: ThreadId;
  /** Null for a root. */
  readonly parent: ThreadId | null;
  /** Threads from the root to this one. */
  readonly stack: readonly ThreadId[];
  /** How a child began; null for a root. */
  readonly opening: Opening | null;
  /** Of the root: a child has no other. */
  readonly metadata: JsonObject;
}

/** What a thread has beside what the system and its launch gave it. */
export interface ThreadConfig {
  /** By name, of `tools` and `toolbox`, or objects, which this thread alone has. */
  readonly tools?: readonly (Tool | string)[];
  /** Behind those of the system and of the launch. */
  readonly instructions?: string;
  /** In place of the system's. */
  readonly model?: LanguageModelV4;
  readonly modelOptions?: ModelOptions;
  /** By the names of tools; goes before the system's policy. */
  readonly approval?: ApprovalPolicy;
  /** In place of the system's, for the whole tree: say the same for all of its threads. */
  readonly budget?: Budget;
  /** The same as before: nothing is another, and what was made of it is kept. Without it, the parts are compared. */
  readonly configVersion?: string | number;
}

/** Undefined: what the system has; for a child, what its parent has. */
export type ThreadConfigSource = (
  request: ThreadConfigRequest,
) => ThreadConfig | undefined | Promise<ThreadConfig | undefined>;

export interface Configurations {
  /** For one thread, now. Rejects, or throws, when its source does, and with ThreadConfigError for what cannot work. */
  readonly configure: (thread: Configured) => Configuration | Promise<Configuration>;
}

interface Sources {
  readonly source: ThreadConfigSource | undefined;
  readonly shelf: ToolShelf;
  /** Of the whole system, now. */
  readonly model: () => { readonly model: LanguageModelV4; readonly options: ResolvedModelOptions };
  readonly instructions: string | undefined;
  readonly budget?: Budget | undefined;
  /** What a thread works with; undefined when there is no such thread. */
  readonly ofParent: (threadId: ThreadId) => Promise<Configuration | undefined>;
}

const known = ["tools", "instructions", "model", "modelOptions", "approval", "budget", "configVersion"];

/** Throws ThreadConfigError for the first thing that cannot work. */
const checked = (threadId: ThreadId, given: unknown): ThreadConfig => {
  const refuse = (problem: string): never => {
    throw new ThreadConfigError(threadId, problem);
  };
  if (typeof given !== "object" || given === null) return refuse("it is no object");
  const config = given as ThreadConfig & Record<string, unknown>;
  for (const key of Object.keys(config))
    if (!known.includes(key) && config[key] !== undefined) refuse(`there is no ${key}; there are ${known.join(", ")}`);
  const { tools = [], instructions = "", model, approval = {}, configVersion } = config;
  if (!Array.isArray(tools) || !tools.every((tool) => typeof tool === "string" || isTool(tool)))
    refuse("tools takes a list of names and of what defineTool makes");
  if (typeof instructions !== "string") refuse("instructions takes a text");
  if (model !== undefined && (typeof model !== "object" || typeof model?.doStream !== "function"))
    refuse("model takes a language model of the AI SDK");
  if (typeof approval !== "object" || approval === null) refuse("approval takes an object, by the names of tools");
  for (const [name, policy] of Object.entries(approval))
    if (!(["ask", "allow", "deny"] as readonly Approval[]).includes(policy))
      refuse(`approval.${name} is ${JSON.stringify(policy)}; it takes "ask", "allow" or "deny"`);
  const wrong = config.budget === undefined ? undefined : problemOfBudget(config.budget);
  if (wrong) refuse(`budget ${wrong}`);
  if (configVersion !== undefined && typeof configVersion !== "string" && typeof configVersion !== "number")
    refuse("configVersion takes a text or a number");
  return config;
};

/** Made once for each time a thread comes into memory: it says the same each time. */
const requests = new WeakMap<LoadedThread, ThreadConfigRequest>();

const requestOf = (loaded: LoadedThread): ThreadConfigRequest => {
  const made = requests.get(loaded) ?? madeFor(loaded);
  requests.set(loaded, made);
  return made;
};

const deeplyFrozen = <T>(value: T): T => {
  if (typeof value === "object" && value !== null) for (const part of Object.values(value)) deeplyFrozen(part);
  return Object.freeze(value);
};

const madeFor = ({ threadId, spec, opening }: LoadedThread): ThreadConfigRequest => {
  const stack = [...(opening?.stack ?? []), threadId];
  const [root = threadId] = stack;
  const parent = opening?.parent ?? null;
  return deeplyFrozen(structuredClone({ threadId, root, parent, stack, opening, metadata: spec.metadata }));
};

/** What was made of a configuration, with what it was made of. */
interface Made extends Configuration {
  readonly from: ThreadConfig;
  readonly spec: ThreadSpec;
}

const sameList = (a: readonly unknown[] = [], b: readonly unknown[] = []): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

const isSame = (a: ThreadConfig, b: ThreadConfig): boolean => {
  if (a.configVersion !== undefined || b.configVersion !== undefined) return a.configVersion === b.configVersion;
  return (
    sameList(a.tools, b.tools) &&
    a.instructions === b.instructions &&
    sameList(Object.entries(a.approval ?? {}).flat(), Object.entries(b.approval ?? {}).flat())
  );
};

const nothing: ThreadConfig = {};

/** Configurations of threads; without a source each has what the system and its launch gave it. */
export const createConfigurations = ({
  source,
  shelf,
  model,
  instructions,
  budget,
  ofParent,
}: Sources): Configurations => {
  const told = (spec: ThreadSpec, more: string | undefined): string =>
    [instructions, spec.instructions, more].filter((text) => text).join("\n\n");

  const make = ({ loaded, configuration }: Configured, config: ThreadConfig): Configuration => {
    const { threadId, spec } = loaded;
    const before = configuration as Made | undefined;
    const kept = before && "from" in before && isSame(before.from, config) ? before : undefined;
    const asked = config.model ?? model().model;
    const options =
      config.model || config.modelOptions
        ? resolveModelOptions(asked, config.modelOptions ?? (config.model ? {} : model().options))
        : model().options;
    const bounded = config.budget ?? budget;
    if (kept && kept.model === asked && kept.options === options && sameBudget(kept.budget, bounded)) return kept;
    const made: Made = {
      from: kept?.from ?? config,
      spec,
      toolset: kept?.toolset ?? toolsetFor(threadId, spec, config),
      instructions: kept?.instructions ?? told(spec, config.instructions),
      model: asked,
      options,
      budget: bounded,
    };
    return made;
  };

  const toolsetFor = (threadId: ThreadId, spec: ThreadSpec, { tools = [], approval }: ThreadConfig) => {
    if (tools.length === 0 && !approval) return shelf.toolsetOf(spec);
    try {
      return shelf.toolsetWith(spec, tools, approval ?? {});
    } catch (cause) {
      throw new ThreadConfigError(threadId, cause instanceof Error ? cause.message : String(cause), { cause });
    }
  };

  if (!source) return { configure: (thread) => make(thread, nothing) };

  const inherited = async (thread: Configured): Promise<Configuration> => {
    const { opening } = thread.loaded;
    return (opening && (await ofParent(opening.parent))) ?? make(thread, nothing);
  };
  return {
    async configure(thread) {
      const given = await source(requestOf(thread.loaded));
      return given === undefined ? inherited(thread) : make(thread, checked(thread.loaded.threadId, given));
    },
  };
};
