import { describe, expect, it } from "vitest";
import { getShortestPaths } from "xstate/graph";
import { roundMachine } from "../../machines/round/machine.ts";
import { block, broken, cut, ended, limits, stopped, waitOver } from "./fold.ts";

const everyEvent = [
  block("one"),
  ended("finished"),
  ended("truncated"),
  ended("filtered"),
  broken("failed"),
  broken("failed", { retryable: false }),
  broken("failed", { retryAfter: 3_600_000 }),
  broken("dropped"),
  broken("stalled"),
  stopped("half"),
  cut,
  waitOver,
];

describe("the chart of a round", () => {
  it("can reach every state", () => {
    const paths = getShortestPaths(roundMachine, {
      events: everyEvent,
      input: { threadId: "t1", request: null, limits },
      serializeState: ({ value }) => JSON.stringify(value),
    });
    const reached = paths.map(({ state: { value } }) => (typeof value === "string" ? value : value.streaming));
    const { streaming, ...others } = roundMachine.config.states ?? {};
    expect(reached.sort()).toEqual([...Object.keys(streaming?.states ?? {}), ...Object.keys(others)].sort());
  });
});
