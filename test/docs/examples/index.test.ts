import { expect, it } from "vitest";
import examples from "../../../docs/examples/index.ts";

it("has an example for each behaviour that a tool of npm start can have", () =>
  expect(examples.map(({ name, form }) => [name, form])).toEqual([
    ["get_build_status", "run"],
    ["calculate", "inline"],
    ["count_up", "subscribe"],
    ["watch_build", "subscribe"],
  ]));

it("shows calls as people would say them", () =>
  expect([
    examples[0]?.display?.({ build_id: "42" }),
    examples[1]?.display?.({ expression: "2 + 3" }),
    examples[2]?.display?.({ to: 3 }),
    examples[3]?.display?.({ build_id: "42", updates: 3 }),
  ]).toEqual(["Check build 42", "Calculate 2 + 3", "Count to 3", "Watch build 42"]));
