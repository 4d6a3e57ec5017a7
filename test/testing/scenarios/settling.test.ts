import { describe, expect, it } from "vitest";
import { createActivity } from "../../../src/testing/scenarios/incarnation.ts";
import { Settling } from "../../../src/testing/scenarios/settling.ts";
import { virtualClock } from "../../../src/testing/virtual-clock.ts";

const start = () => {
  const clock = virtualClock();
  const activity = createActivity();
  const called: number[] = [];
  const due = (delay: number) => clock.setTimeout(() => called.push(clock.now()), delay);
  return { clock, activity, called, due, settling: new Settling(clock, activity) };
};

describe("a runtime that settles", () => {
  it("is waited for as long as something is under way, however many turns of the loop that takes", async () => {
    const { activity, settling } = start();
    const end = activity.begin();
    let ended = false;
    let turns = 0;
    const go = () => {
      if (++turns < 50) return setImmediate(go);
      ended = true;
      end();
    };
    go();
    await settling.quiet();
    expect(ended).toBe(true);
  });

  it("calls what is due, and lets no other time pass", async () => {
    const { clock, called, due, settling } = start();
    due(0);
    due(5);
    await settling.rest(new Map());
    expect([called, clock.now(), clock.due]).toEqual([[0], 0, [5]]);
  });

  it("lets time pass up to a retry and no further", async () => {
    const { clock, called, due, settling } = start();
    const retries = new Map([["t1", 10]]);
    due(4);
    due(10);
    due(11);
    await settling.rest(retries);
    expect([called, clock.now(), clock.due]).toEqual([[4, 10], 10, [11]]);
  });

  it("lets no time pass for a retry that is made at once", async () => {
    const { clock, called, due, settling } = start();
    const retries = new Map([["t1", 0]]);
    due(60);
    await settling.rest(retries);
    expect([called, clock.now(), retries.size]).toEqual([[], 0, 0]);
  });

  it("lets time pass for a retry that is planned when another was made", async () => {
    const { clock, due, settling } = start();
    const retries = new Map([["t1", 10]]);
    clock.setTimeout(() => {
      retries.set("t1", 30);
      due(20);
    }, 10);
    await settling.rest(retries);
    expect([clock.now(), retries.size]).toEqual([30, 0]);
  });

  it("goes to the next instant at which something is due, if there is one", async () => {
    const { clock, due, settling } = start();
    due(7);
    expect([await settling.next(), clock.now()]).toEqual([true, 7]);
    expect([await settling.next(), clock.now()]).toEqual([false, 7]);
  });
});
