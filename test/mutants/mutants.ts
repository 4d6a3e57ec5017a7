import { roundMachine } from "../../machines/round/machine.ts";
import { threadMachine } from "../../machines/thread/machine.ts";

/** One word of a chart broken: a guard that always says the same, an action that does nothing. */
export interface Mutant {
  /** `thread:guard:stopWaits:false`, `round:action:keepBlock:nothing`. */
  readonly id: string;
  readonly machine: "thread" | "round";
  readonly kind: "guard" | "action";
  readonly name: string;
  readonly breakage: "true" | "false" | "nothing";
}

interface Words {
  readonly implementations: { readonly guards: object; readonly actions: object };
}
const machines: Record<Mutant["machine"], Words> = { thread: threadMachine, round: roundMachine };

const mutant = (
  machine: Mutant["machine"],
  kind: Mutant["kind"],
  name: string,
  breakage: Mutant["breakage"],
): Mutant => ({
  id: [machine, kind, name, breakage].join(":"),
  machine,
  kind,
  name,
  breakage,
});

/** Every guard and action of the charts that decide, read off the charts: a new one cannot be forgotten. */
export const mutants: readonly Mutant[] = (["thread", "round"] as const).flatMap((machine) => {
  const { guards, actions } = machines[machine].implementations;
  return [
    ...Object.keys(guards).flatMap((name) => [
      mutant(machine, "guard", name, "true"),
      mutant(machine, "guard", name, "false"),
    ]),
    ...Object.keys(actions).map((name) => mutant(machine, "action", name, "nothing")),
  ];
});

/** What stands in place of the word. */
export const replacement = ({ kind, name, breakage }: Mutant): string =>
  `{ ${kind}s: { ${name}: () => ${breakage === "nothing" ? "{}" : breakage} } }`;
