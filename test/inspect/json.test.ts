import { describe, expect, it } from "vitest";
import { type AnyStateMachine, and, assign, createMachine, initialTransition, setup } from "xstate";
import { roundMachine } from "../../machines/round/machine.ts";
import { threadMachine } from "../../machines/thread/machine.ts";
import { nameOf, namesOf, statesOf, transitionsOf } from "../../src/inspect/chart.ts";
import { machineJson } from "../../src/inspect/json.ts";

/** What a reader of the JSON gets to see of a machine. */
const seen = (machine: AnyStateMachine) =>
  statesOf(machine).map((state) => ({
    id: state.id,
    type: state.type,
    description: state.description,
    initial: state.initial?.target.map(({ id }) => id),
    invokes: state.invoke.map(({ id, src }) => [id, nameOf(src)]),
    entry: namesOf(state.entry),
    exit: namesOf(state.exit),
    transitions: transitionsOf(state).map(({ event, choice, guard, actions, target }) => ({
      event,
      choice,
      guard,
      actions,
      target: target?.id,
    })),
  }));

const reread = (machine: AnyStateMachine): AnyStateMachine =>
  createMachine(JSON.parse(JSON.stringify(machineJson(machine))));

describe("the JSON of a machine", () => {
  it.each([
    ["thread", threadMachine],
    ["round", roundMachine],
  ] as const)("makes the same states, transitions, guards and actions of the %s", (_, machine) => {
    expect(seen(reread(machine))).toEqual(seen(machine));
    expect(seen(machine).flatMap(({ transitions }) => transitions).length).toBeGreaterThan(10);
  });

  it.each([
    ["thread", threadMachine],
    ["round", roundMachine],
  ] as const)("has what the %s's transitions say of themselves, and no name that is missing", (_, machine) => {
    const said = (config: AnyStateMachine) =>
      statesOf(config).flatMap((state) =>
        [state.always ?? [], ...state.transitions.values()]
          .flat()
          .map(({ description, reenter }) => [description, reenter]),
      );
    expect(said(reread(machine))).toEqual(said(machine));
    expect(JSON.stringify(machineJson(machine))).not.toMatch(/inline\)|null/);
  });

  it("keeps params that are values, and leaves out the functions that pick them", () => {
    const json = JSON.stringify(machineJson(threadMachine));
    expect(json).toContain('{"type":"interrupt","params":{"by":"control"}}');
    expect(json).toContain('{"type":"bringsInterruption"}');
    expect(json).not.toContain('"context"');
  });

  it("says of a function in place of a name that it is one", () => {
    const inner = createMachine({ id: "inner" });
    const machine = setup({ guards: { may: () => true } }).createMachine({
      initial: "a",
      entry: [assign({}), "named"] as never,
      states: {
        a: { invoke: { src: inner } as never, on: { go: { guard: and(["may"]), actions: () => {}, target: "b" } } },
        b: {},
      },
    });
    expect(machineJson(machine)).toEqual({
      initial: "a",
      entry: ["(inline)", "named"],
      states: {
        a: { invoke: { src: "inner" }, on: { go: { guard: "(inline)", actions: "(inline)", target: "b" } } },
        b: {},
      },
    });
  });

  it("is a chart that can be stepped once its parts are given", () => {
    const [snapshot] = initialTransition(
      reread(roundMachine).provide({ actors: { stream: createMachine({}) } }),
      undefined,
    );
    expect(snapshot.value).toEqual({ streaming: "open" });
  });
});
