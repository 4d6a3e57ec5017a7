import type { AnyStateMachine, AnyStateNode } from "xstate";

/** Where a transition begins, what it needs, what it does, where it leads; in words, as the config has them. */
export interface ChartTransition {
  /** `""` for one that needs no event. */
  readonly event: string;
  /** Its place among those that the same event can take, from 1; undefined when it is the only one. */
  readonly choice: number | undefined;
  readonly guard: string | undefined;
  readonly actions: readonly string[];
  readonly source: AnyStateNode;
  /** Undefined: it stays where it is. */
  readonly target: AnyStateNode | undefined;
}

/** Stands where a config has a function in place of a name. */
export const unnamed = "(inline)";

/** The name of a guard, an action or an actor; `unnamed` for one that has none. */
export const nameOf = (part: unknown): string => {
  if (typeof part === "string") return part;
  return typeof part === "object" && part !== null && "type" in part ? String(part.type) : unnamed;
};

/** XState's own actions, as `after` brings them, are no words of the config. */
const isOwn = (action: unknown): boolean => !String((action as { type?: unknown }).type).startsWith("xstate.");

export const namesOf = (actions: readonly unknown[]): string[] => actions.filter(isOwn).map(nameOf);

/** An event as people say it: `round done`, `after retry`. */
const wordFor = (event: string): string => {
  const [, outcome, id] = /^xstate\.(done|error|snapshot)\.(?:actor|state)\.(.+)$/.exec(event) ?? [];
  if (outcome !== undefined) return `${id} ${outcome}`;
  const delay = /^xstate\.after\.([^.]+)\./.exec(event)?.[1];
  return delay === undefined ? event : `after ${delay}`;
};

/** The transitions of a state in the order they are looked at, those without an event first. */
export const transitionsOf = (state: AnyStateNode): ChartTransition[] =>
  [state.always ?? [], ...state.transitions.values()].flatMap((choices) =>
    choices.map(
      ({ eventType, guard, actions, target }, index): ChartTransition => ({
        event: wordFor(eventType),
        choice: choices.length > 1 ? index + 1 : undefined,
        guard: guard === undefined ? undefined : nameOf(guard),
        actions: namesOf(actions),
        source: state,
        target: target?.[0],
      }),
    ),
  );

export const childrenOf = (state: AnyStateNode): AnyStateNode[] =>
  (Object.values(state.states) as AnyStateNode[]).sort((a, b) => a.order - b.order);

/** Every state of a chart, the root first, in the order the config has them. */
export const statesOf = ({ root }: AnyStateMachine): AnyStateNode[] => {
  const withInner = (state: AnyStateNode): AnyStateNode[] => [state, ...childrenOf(state).flatMap(withInner)];
  return withInner(root);
};
