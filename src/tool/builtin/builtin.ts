import type { ArgsOf, ToolSchema } from "../schema.ts";
import { createTool, type Tool } from "../tool.ts";

/**
 * A tool that is part of the commit of its turn: nothing is handed over, the record is the act, so it survives every
 * restart as it is (R7).
 */
export const builtinWait = <S extends ToolSchema>(definition: {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: S;
  readonly display: (args: ArgsOf<S>) => string;
  /** When the wait ends by itself, ms from the end of the round; undefined: it does not. */
  readonly wakeAfter: (args: ArgsOf<S>) => number | undefined;
}): Tool =>
  createTool(definition, {
    form: "builtin",
    passive: true,
    onRestart: "again",
    annotations: Object.freeze({ readOnly: true }),
    display: definition.display as (args: unknown) => unknown,
    wakeAfter: definition.wakeAfter as (args: unknown) => number | undefined,
  });
