import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultsOf } from "../../machines/history/faults.ts";
import { breaks } from "../support/history/breaks.ts";
import { anyChildHistory, anyStoredHistory } from "../support/history/histories.ts";

describe("the faults of a stored history (R5)", () => {
  it("are none in every well-formed history, with and without outstanding calls", () =>
    fc.assert(
      fc.property(anyStoredHistory, ({ entries, outstanding }) => {
        expect(faultsOf(entries, outstanding)).toEqual([]);
      }),
    ));

  it("are none in the view of a child that opens with a seed", () =>
    fc.assert(
      fc.property(anyChildHistory, (entries) => {
        expect(faultsOf(entries, [])).toEqual([]);
      }),
    ));

  it("are none in a history that is empty", () => expect(faultsOf([], [])).toEqual([]));

  it.each(breaks)("tell $name, wherever it is", ({ fault, break: breakIt }) => {
    let broken = 0;
    fc.assert(
      fc.property(anyStoredHistory, fc.nat(50), (history, choice) => {
        const result = breakIt(history, choice);
        fc.pre(result !== undefined);
        broken++;
        expect(faultsOf(result.entries, result.outstanding).join("\n")).toMatch(fault);
      }),
      { numRuns: 60 },
    );
    expect(broken).toBe(60);
  });

  it("name the position and the call", () => {
    const call = { type: "call", callId: "t1#1.0", providerCallId: "c1", name: "watch", args: {} };
    const history = [
      { position: 0, entry: { kind: "user", at: 0, text: "go" } },
      { position: 1, entry: { kind: "turn", at: 0, parts: [call] } },
      { position: 3, entry: { kind: "user", at: 0, text: "well?" } },
    ];
    expect(faultsOf(history as never, [])).toEqual(["position 2: the result of t1#1.0 is missing"]);
    expect(faultsOf(history as never, ["t1#1.0" as never])).toEqual([
      "position 3: a user text follows while t1#1.0 is outstanding",
    ]);
  });

  it("stay few when a position is absurd", () => {
    const entry = { kind: "user" as const, at: 0, text: "go" };
    expect(faultsOf([{ position: 2 ** 40, entry }], []).length).toBeLessThanOrEqual(1_000);
  });
});
