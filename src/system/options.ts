import { OptionError } from "../errors.ts";
import { isTool } from "../tool/define.ts";

/**
 * What is checked of the options of a system at the door: they come from programs without types too, and from programs
 * that were written for the AI SDK, where a model may be a name and tools are an object.
 */

/** Throws OptionError for what is no language model. */
export const checkModel = (model: unknown): void => {
  if (model === undefined || model === null)
    throw new OptionError("model", "is missing; give any AI SDK language model");
  if (typeof model === "string")
    throw new OptionError(
      "model",
      `is the text ${JSON.stringify(model)}; give what the provider's package makes of a name, such as anthropic("claude-sonnet-4-5")`,
    );
  const { specificationVersion, doStream } = model as Record<string, unknown>;
  if (typeof doStream !== "function")
    throw new OptionError(
      "model",
      "has no doStream; give a language model of the AI SDK, such as a provider's package makes",
    );
  if (specificationVersion !== "v4")
    throw new OptionError(
      "model",
      `is of specification ${String(specificationVersion)}, and v4 is needed; install a newer version of the provider's package`,
    );
};

const howToMake = "make tools with defineTool, or with fromAiTool from those of the AI SDK";

/** Throws OptionError for what is no list of tools. With `names`, texts stand for tools that are known by name. */
export const checkTools = (option: string, tools: unknown, { names = false } = {}): void => {
  if (!Array.isArray(tools)) throw new OptionError(option, `is no list; ${howToMake}, and give them in an array`);
  for (const [index, tool] of tools.entries())
    if (!isTool(tool) && !(names && typeof tool === "string"))
      throw new OptionError(`${option}[${index}]`, `is no tool; ${howToMake}`);
};
