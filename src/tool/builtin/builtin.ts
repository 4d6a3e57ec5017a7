import type { BuiltinAct } from "../../../machines/round/turn.ts";
import type { ArgsOf, ToolSchema } from "../schema.ts";
import { type BuiltinTerms, createTool, type Tool, type ToolAnnotations } from "../tool.ts";

interface Definition<S extends ToolSchema> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: S;
  readonly display: (args: ArgsOf<S>) => string;
}

/**
 * A tool that is part of the commit of its turn: nothing is handed over, the record is the act, so it survives every
 * restart as it is (R7).
 */
const builtin = <S extends ToolSchema>(
  definition: Definition<S>,
  rest: {
    readonly passive: boolean;
    readonly annotations: ToolAnnotations;
    readonly terms: (args: ArgsOf<S>) => BuiltinTerms;
  },
): Tool =>
  createTool(definition, {
    form: "builtin",
    passive: rest.passive,
    onRestart: "again",
    needsApproval: false,
    annotations: Object.freeze(rest.annotations),
    display: definition.display as (args: unknown) => unknown,
    terms: rest.terms as (args: unknown) => BuiltinTerms,
  });

/** A wait: the call is outstanding until something wakes the thread. */
export const builtinWait = <S extends ToolSchema>(
  definition: Definition<S> & {
    /** When the wait ends by itself; none of the two: it does not. */
    readonly until: (args: ArgsOf<S>) => Pick<BuiltinTerms, "wakeAfter" | "wakeAt" | "note">;
  },
): Tool => builtin(definition, { passive: true, annotations: { readOnly: true }, terms: definition.until });

/**
 * Something that threads do to each other or to themselves: settled by the commit of its turn, which the thread may still
 * refuse, because only its record knows its stack, its children and its subscriptions.
 */
export const builtinAct = <S extends ToolSchema>(
  definition: Definition<S> & { readonly act: (args: ArgsOf<S>) => BuiltinAct },
): Tool => builtin(definition, { passive: false, annotations: {}, terms: (args) => ({ act: definition.act(args) }) });
