import { describe, expect, it } from "vitest";
import { calledBy, callIdOf, ThreadId } from "../../machines/history/ids.ts";

const id = (turn: number, position = 0) => callIdOf(ThreadId.parse("acme/1"), turn, position);
const call = (turn: number, providerCallId: string) => ({ callId: id(turn), providerCallId });

describe("a call that a model names", () => {
  const [first, second, unnamed] = [call(1, "c1"), call(2, "c1"), call(3, "")];
  const calls = [first, second, unnamed];

  it("is found by the provider's id, the earliest where providers repeat themselves", () =>
    expect(calledBy("c1", calls)).toBe(first));

  it("is found by our id, as a prompt shows it and as it is", () => {
    expect(calledBy("call_2_0", calls)).toBe(second);
    expect(calledBy("call_3_0", calls)).toBe(unnamed);
    expect(calledBy(id(2), calls)).toBe(second);
  });

  it("is found by our id where a prompt had to make it different from another's", () => {
    expect(calledBy("call_3_0_2", calls)).toBe(unnamed);
    expect(calledBy("call_3_0_x", calls)).toBeUndefined();
  });

  it("is ours rather than a provider's that looks like it", () =>
    expect(calledBy("call_2_0", [call(1, "call_2_0"), second])).toBe(second));

  it("is not found by an id that no call has, by an empty one least of all", () => {
    for (const shown of ["", "c2", "C1", "call_9_0", "call_1", "acme/2#1.0"])
      expect(calledBy(shown, calls)).toBeUndefined();
  });
});
