import type { InspectionEvent } from "xstate";
import { threadMachine } from "../../../machines/thread/machine.ts";
import { crashPoints } from "../../crash-points.ts";

/** A transition as the chart names it; XState's own definition has more. */
interface Transition {
  readonly source: { readonly path: readonly string[] };
  readonly eventType: string;
  readonly guard?: unknown;
  readonly target?: readonly { readonly path: readonly string[] }[] | undefined;
  readonly reenter: boolean;
}

interface Node {
  readonly path: readonly string[];
  readonly states: { readonly [name: string]: Node };
  readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  readonly always?: readonly Transition[];
}

const guardOf = ({ guard }: Transition): string => {
  if (guard === undefined) return "";
  const name = typeof guard === "string" ? guard : (guard as { type?: string }).type;
  return ` [${name ?? "?"}]`;
};

/** `running.completing.open: inputs.accepted [bringsInterruption] → running.completing.interrupting`. */
const nameOf = (transition: Transition): string => {
  const { source, eventType, target } = transition;
  const to = target?.map(({ path }) => path.join(".")).join(", ");
  return `${source.path.join(".") || "thread"}: ${eventType || "always"}${guardOf(transition)}${to ? ` → ${to}` : ""}`;
};

const transitionsOf = (node: Node): string[] => [
  ...[...node.transitions.values(), node.always ?? []].flat().map(nameOf),
  ...Object.values(node.states).flatMap(transitionsOf),
];

/** Every transition that the thread's chart can take, read off the chart: a new one cannot be forgotten. */
export const everyTransition: readonly string[] = [...new Set(transitionsOf(threadMachine.root as unknown as Node))];

const known = new Set(everyTransition);

/** What stories have met of the thread's chart and of the places where a process can end. */
export class Coverage {
  readonly transitions = new Set<string>();
  readonly points = new Set<string>();
  readonly #seen = new WeakSet<object>();

  /** Takes note of what threads' actors do. */
  readonly note = (event: InspectionEvent): void => {
    if (event.type !== "@xstate.microstep" || event.actorRef.sessionId !== event.rootId) return;
    for (const taken of event._transitions) {
      if (this.#seen.has(taken)) continue;
      this.#seen.add(taken);
      const name = nameOf(taken as unknown as Transition);
      if (known.has(name)) this.transitions.add(name);
    }
  };

  get transitionsMissed(): readonly string[] {
    return everyTransition.filter((name) => !this.transitions.has(name));
  }

  get pointsMissed(): readonly string[] {
    return crashPoints.filter((name) => !this.points.has(name));
  }
}
