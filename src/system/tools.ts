import { OptionError, ToolNameError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { ThreadSpec } from "../store/store.ts";
import { builtinTools } from "../tool/builtin/index.ts";
import type { Tool } from "../tool/define.ts";
import { type ApprovalPolicy, createToolset, type Toolset } from "../tool/toolset.ts";
import type { SystemOptions } from "./api.ts";
import { checkTools } from "./options.ts";

/** The tools of a system: what every thread gets, and what is known by name. */
export interface ToolShelf {
  /** Names for the store. Objects are registered for this process. Throws ToolNameError, OptionError. */
  namesOf(tools: readonly (Tool | string)[]): readonly string[];
  /** The tools of a thread; names that nothing provides are left out. The same for equal names. */
  toolsetOf(spec: ThreadSpec): Toolset;
  /**
   * The same with tools of its configuration: names, and objects that this thread alone has; `approval` goes before the
   * system's. Throws ToolNameError, OptionError.
   */
  toolsetWith(spec: ThreadSpec, more: readonly (Tool | string)[], approval: ApprovalPolicy): Toolset;
}

interface Origin {
  readonly tool: Tool;
  readonly origin: string;
}

export const createToolShelf = (
  {
    tools = [],
    toolbox = [],
    builtins = true,
    approval = {},
  }: Pick<SystemOptions, "tools" | "toolbox" | "builtins" | "approval">,
  logger: Logger,
): ToolShelf => {
  const known = new Map<string, Origin>();
  const shelve = (tool: Tool, origin: string): void => {
    const other = known.get(tool.name);
    if (other && other.tool !== tool)
      throw new ToolNameError(tool.name, `is both in ${other.origin} and in ${origin}; give one of them another name`);
    if (!other) known.set(tool.name, { tool, origin });
  };
  const everywhere = [...new Set([...(builtins ? builtinTools : []), ...tools])];
  if (builtins) for (const tool of builtinTools) shelve(tool, "the built-in tools");
  for (const tool of tools) shelve(tool, "`tools` of the system");
  for (const tool of toolbox) shelve(tool, "`toolbox` of the system");

  for (const [name, policy] of Object.entries(approval))
    if (!["ask", "allow", "deny"].includes(policy))
      throw new OptionError(`approval.${name}`, `is ${JSON.stringify(policy)}; it takes "ask", "allow" or "deny"`);
  // A policy that cannot work is told now, not when the first thread begins.
  createToolset(everywhere, [], logger, approval);

  const toolsets = new Map<string, Toolset>();
  const unknown = (name: string): ToolNameError =>
    new ToolNameError(name, `nothing of that name is known; known are ${[...known.keys()].join(", ") || "none"}`);
  const ownOf = ({ tools: names }: ThreadSpec): Tool[] =>
    names.flatMap((name) => known.get(name)?.tool ?? []).filter((tool) => !everywhere.includes(tool));
  return {
    namesOf(asked) {
      checkTools("tools", asked, { names: true });
      const names = asked.map((tool) => {
        if (typeof tool !== "string") {
          shelve(tool, "`tools` of a thread");
          return tool.name;
        }
        if (!known.has(tool)) throw unknown(tool);
        return tool;
      });
      return [...new Set(names)];
    },
    toolsetWith(spec, more, own) {
      const given = more.map((tool): Origin => {
        if (typeof tool !== "string") return { tool, origin: "`tools` of the thread's configuration" };
        const found = known.get(tool);
        if (!found) throw unknown(tool);
        return found;
      });
      const all = [...everywhere, ...ownOf(spec)].map((tool) => known.get(tool.name) as Origin);
      const added = given.filter(
        ({ tool }, index) =>
          all.every((other) => other.tool !== tool) && given.findIndex((other) => other.tool === tool) === index,
      );
      const parts = [...all, ...added];
      return createToolset(
        parts.map(({ tool }) => tool),
        parts.map(({ origin }) => origin),
        logger,
        { ...approval, ...own },
      );
    },
    toolsetOf(spec) {
      const { tools: names } = spec;
      const key = JSON.stringify(names);
      const cached = toolsets.get(key);
      if (cached) return cached;
      const own = ownOf(spec);
      const origins = [...everywhere, ...own].map((tool) => known.get(tool.name)?.origin ?? "");
      const toolset = createToolset([...everywhere, ...own], origins, logger, approval);
      if (names.every((name) => known.has(name))) toolsets.set(key, toolset);
      return toolset;
    },
  };
};
