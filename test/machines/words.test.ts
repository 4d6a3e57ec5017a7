import { describe, expect, it } from "vitest";
import { type AnyStateMachine, createMachine } from "xstate";
import { roundMachine } from "../../machines/round/machine.ts";
import { systemMachine } from "../../machines/system/machine.ts";
import { threadMachine } from "../../machines/thread/machine.ts";
import { nameOf, namesOf, statesOf, transitionsOf, unnamed } from "../../src/inspect/chart.ts";

/** Every word that a config uses for a guard, an action or an actor. */
const wordsOf = (machine: AnyStateMachine) => {
  const states = statesOf(machine);
  const transitions = states.flatMap(transitionsOf);
  return {
    guards: transitions.flatMap(({ guard }) => guard ?? []),
    actions: [
      ...transitions.flatMap(({ actions }) => actions),
      ...states.flatMap(({ entry, exit }) => namesOf([...entry, ...exit])),
    ],
    actors: states.flatMap(({ invoke }) => invoke.map(({ src }) => nameOf(src))),
  };
};

const machines = { thread: threadMachine, round: roundMachine, system: systemMachine } as Record<
  string,
  AnyStateMachine
>;

/** Asked for by other actions, so that the config does not name them. */
const effects = ["record", "abort", "announce", "resume", "begin", "report"];

describe.each(Object.entries(machines))("the config of the %s machine", (_, machine) => {
  const words = wordsOf(machine);
  const known = machine.implementations as unknown as Record<keyof typeof words, Record<string, unknown>>;

  it("has no function in it but those that pick what goes in", () =>
    expect([...words.guards, ...words.actions, ...words.actors]).not.toContain(unnamed));

  it.each(["guards", "actions", "actors"] as const)("uses %s that `setup` has, and every one of them", (kind) => {
    const has = Object.keys(known[kind]);
    expect(words[kind].filter((name) => !has.includes(name))).toEqual([]);
    expect(has.filter((name) => !words[kind].includes(name) && !effects.includes(name))).toEqual([]);
  });

  it("says of every state why it exists, where its name does not", () => {
    const obvious = ["open", "loading", machine.id];
    const silent = statesOf(machine).filter(({ description }) => !description);
    expect(silent.map(({ key }) => key).filter((key) => !obvious.includes(key))).toEqual([]);
  });

  it("names every actor it invokes, so that its end has a name too", () => {
    for (const { invoke } of statesOf(machine)) for (const { id } of invoke) expect(id).toMatch(/^[a-z]+$/);
  });
});

describe("a config", () => {
  it("that has a function where a name belongs is seen", () => {
    const machine = createMachine({ on: { go: { guard: () => true, actions: () => {} } }, entry: () => {} });
    const { guards, actions } = wordsOf(machine);
    expect([...guards, ...actions]).toEqual([unnamed, unnamed, unnamed]);
  });
});
