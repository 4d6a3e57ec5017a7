import { describe, expect, it } from "vitest";
import { virtualClock } from "../../src/testing/virtual-clock.ts";

describe("a virtual clock", () => {
  it("stands still until it is turned", async () => {
    const clock = virtualClock(1_000);
    const called: number[] = [];
    clock.setTimeout(() => called.push(clock.now()), 50);
    expect([clock.now(), called]).toEqual([1_000, []]);
    await clock.advance(49);
    expect([clock.now(), called]).toEqual([1_049, []]);
    await clock.advance(1);
    expect([clock.now(), called]).toEqual([1_050, [1_050]]);
  });

  it("stops at each instant at which something is due, and settles there", async () => {
    const clock = virtualClock();
    const told: string[] = [];
    const tell = (what: string) => () => told.push(`${what} at ${clock.now()}`);
    clock.setTimeout(tell("late"), 20);
    clock.setTimeout(tell("first"), 10);
    clock.setTimeout(tell("second"), 10);
    await clock.advance(30, async () => void told.push(`settled at ${clock.now()}`));
    expect(told).toEqual([
      "settled at 0",
      "first at 10",
      "second at 10",
      "settled at 10",
      "late at 20",
      "settled at 20",
    ]);
    expect(clock.now()).toBe(30);
  });

  it("calls what was set meanwhile when it is due before the end", async () => {
    const clock = virtualClock();
    const called: number[] = [];
    clock.setTimeout(() => clock.setTimeout(() => called.push(clock.now()), 5), 5);
    await clock.advance(10);
    expect(called).toEqual([10]);
  });

  it("calls nothing that was cleared, also by what is due at the same instant", async () => {
    const clock = virtualClock();
    const called: string[] = [];
    clock.setTimeout(() => {
      called.push("first");
      clock.clearTimeout(second);
    }, 5);
    const second = clock.setTimeout(() => called.push("second"), 5);
    await clock.advance(5);
    expect([called, clock.due]).toEqual([["first"], []]);
  });

  it("calls what is due already when it is turned by nothing", async () => {
    const clock = virtualClock(5);
    const called: number[] = [];
    clock.setTimeout(() => called.push(clock.now()), -10);
    expect(clock.due).toEqual([5]);
    await clock.advance(0);
    expect(called).toEqual([5]);
  });
});
