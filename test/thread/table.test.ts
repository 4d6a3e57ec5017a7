import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { threadMachine } from "../../machines/thread/machine.ts";
import { columns, tableOfMachine } from "../support/thread/table.ts";

describe("the table of inputs and states", () => {
  it("is in docs/architecture.md as the machine has it", () =>
    expect(readFileSync("docs/architecture.md", "utf8")).toContain(tableOfMachine()));

  it("has a column for every state of the chart that is rested in or waits", () => {
    // Nothing reaches the thread there that it does not see to afterwards, whatever that is.
    const running = Object.keys(threadMachine.states.running?.states ?? {}).filter((state) => state !== "recovering");
    const resting = Object.keys(threadMachine.states).filter(
      (state) => !["running", "deciding", "waking", "resting", "stopped", "closed"].includes(state),
    );
    expect(Object.keys(columns).sort()).toEqual([...running, ...resting].sort());
  });

  it.each(Object.entries(columns))("reaches %s", (name, make) => expect(make().state).toContain(name));
});
