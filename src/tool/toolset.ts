import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { JsonObject } from "../../machines/history/json.ts";
import { displayForm } from "../../machines/history/wording.ts";
import type { Verdict } from "../../machines/round/turn.ts";
import { OptionError, ToolNameError } from "../errors.ts";
import { type Logger, silentLogger } from "../logger.ts";
import { reservedNames } from "./definition.ts";
import { displayOf } from "./display.ts";
import { causeOf } from "./failure.ts";
import { readArguments } from "./raw-arguments.ts";
import { safeText, shortened } from "./text.ts";
import type { Tool } from "./tool.ts";

export { displayForm } from "../../machines/history/wording.ts";

/** What the tools of a thread make of one call that the model wrote. */
export interface Judged {
  readonly args: JsonObject;
  /** What the model wrote, when it was no JSON object; `args` is `{}` then. */
  readonly raw?: string;
  /** How the call is shown to people. */
  readonly display?: string;
  readonly verdict: Verdict;
}

/** The tools of one thread. */
export interface Toolset {
  /** What the model is sent: the same frozen array each time, in the order the tools were given. */
  readonly specs: readonly LanguageModelV4FunctionTool[];
  get(name: string): Tool | undefined;
  /** Judges a call whose block is complete. Runs no tool, throws nothing: what is wrong is the verdict. */
  judge(name: string, rawArgs: string): Judged;
}

type Refusal = Extract<Verdict, { as: "refused" }>;

const refused = (origin: Refusal["origin"], text: string): Refusal => ({
  as: "refused",
  origin,
  text: `Error: ${text}`,
});
const named = (name: string): string => JSON.stringify(safeText(shortened(name, 100)));

const invalid = (name: string, problem: string): Refusal =>
  refused("validation", `The arguments of ${name} are not valid, so it was not called.\n${problem}`);

/** What a policy says of the calls of a tool: ask a person, make them, or refuse them. */
export type Approval = "ask" | "allow" | "deny";

/** By the names of tools. It goes before what a tool says of itself. */
export type ApprovalPolicy = Readonly<Record<string, Approval>>;

const isAsked = ({ needsApproval }: Tool, args: unknown, policy: Approval | undefined): boolean => {
  if (policy !== undefined) return policy === "ask";
  if (typeof needsApproval === "boolean") return needsApproval;
  try {
    return needsApproval(args) !== false;
  } catch {
    return true;
  }
};

const denied = (name: string): Refusal =>
  refused("denied", `NOT executed: calls of ${name} are denied here. Do not try again; tell the user.`);

const accepted = (tool: Tool, args: unknown, policy: Approval | undefined): Verdict => {
  const { form, passive, onRestart, deadline } = tool;
  // An inline call is over before its turn is: the registry keeps its deadline.
  const timed = deadline !== undefined && form !== "inline";
  return {
    as: "accepted",
    form,
    passive,
    onRestart,
    ...(timed && { deadline }),
    ...(isAsked(tool, args, policy) && { asks: true as const }),
    ...(tool.form === "builtin" && tool.terms(args)),
  };
};

const byNames = (tools: readonly Tool[], origins: readonly string[]): ReadonlyMap<string, Tool> => {
  const found = new Map<string, number>();
  const originOf = (index: number) => origins[index] ?? `tool ${index + 1} of the list`;
  for (const [index, { name }] of tools.entries()) {
    const other = found.get(name);
    if (other !== undefined)
      throw new ToolNameError(
        name,
        `two tools have it, from ${originOf(other)} and from ${originOf(index)}; rename one or leave it out`,
      );
    found.set(name, index);
  }
  return new Map(tools.map((tool) => [tool.name, tool]));
};

/**
 * The tools of a thread under their names. `origins` says, for each tool, where it comes from, for the error that two
 * tools of one name make (ToolNameError). `approval` goes before what tools say of themselves. `logger` hears of schemas that fail while they check arguments.
 */
export const createToolset = (
  tools: readonly Tool[],
  origins: readonly string[] = [],
  logger: Logger = silentLogger,
  approval: ApprovalPolicy = {},
): Toolset => {
  const known = byNames(tools, origins);
  for (const { name, form } of tools)
    if (approval[name] === "ask" && (form === "inline" || form === "builtin"))
      throw new OptionError(
        `approval.${name}`,
        `"ask" cannot work: the tool is ${form === "inline" ? "inline" : "built in"}, and the slice would wait for a person; take "allow" or "deny"`,
      );
  const names = tools.length > 0 ? `The tools are: ${[...known.keys()].join(", ")}.` : "There are no tools here.";

  const noTool = (name: string): Refusal =>
    reservedNames.includes(name)
      ? refused(
          "reserved_tool",
          `${named(name)} cannot be called. It shows events that were delivered; they arrive by themselves.`,
        )
      : refused("unknown_tool", `There is no tool named ${named(name)}. ${names}`);

  return {
    specs: Object.freeze(tools.map(({ spec }) => spec)),
    get: (name) => known.get(name),
    judge(name, rawArgs) {
      const read = readArguments(rawArgs);
      const args = read.ok ? read.args : {};
      const refusal = (verdict: Refusal): Judged => {
        const display = safeText(displayForm(name, args));
        return { args, ...(!read.ok && { raw: read.raw }), display, verdict };
      };
      const tool = known.get(name);
      if (!tool) return refusal(noTool(name));
      if (!read.ok) return refusal(invalid(name, `- ${read.problem}`));
      const parsed = tool.parse(args);
      const policy = Object.hasOwn(approval, name) ? approval[name] : undefined;
      if (parsed.ok && policy === "deny") return refusal(denied(name));
      if (parsed.ok)
        return { args, display: displayOf(tool, args, parsed.args), verdict: accepted(tool, parsed.args, policy) };
      if (parsed.cause !== undefined)
        logger.error({ tool: name, error: causeOf(parsed.cause) }, "a tool's schema failed while it checked arguments");
      return refusal(invalid(name, parsed.problem));
    },
  };
};
