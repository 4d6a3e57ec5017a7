import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { handOver, type Turns } from "../../src/thread/hand-over.ts";

/** Time that a test turns; `spend` is what a listener does to it. What is due together comes in the order it was set. */
const turned = () => {
  let now = 0;
  let due: { readonly at: number; readonly run: () => void }[] = [];
  const turns: Turns = { now: () => now, after: (ms, run) => void due.push({ at: now + ms, run }) };
  return {
    turns,
    spend(ms: number) {
      now += ms;
    },
    /** One turn: all that is due at the soonest instant. False when nothing is. */
    turn(): boolean {
      const at = Math.max(now, Math.min(...due.map((each) => each.at)));
      const ready = due.filter((each) => each.at <= at);
      if (ready.length === 0) return false;
      now = at;
      due = due.filter((each) => each.at > at);
      for (const { run } of ready) run();
      return true;
    },
  };
};

const bench = (cost: (item: number) => void = () => {}, limit?: number) => {
  const time = turned();
  const heard: number[] = [];
  const leftOut: number[] = [];
  const hands = handOver<number>(
    (item) => {
      cost(item);
      heard.push(item);
    },
    { turns: time.turns, onLeftOut: (count) => leftOut.push(count), ...(limit !== undefined && { limit }) },
  );
  const push = (from: number, count: number) => {
    for (let item = from; item < from + count; item++) hands.push(item);
  };
  return { ...time, heard, leftOut, hands, push };
};
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("handing over", () => {
  it("calls the listener later, never within a push", () => {
    const { push, heard, turn } = bench();
    push(0, 3);
    expect(heard).toEqual([]);
    turn();
    expect(heard).toEqual([0, 1, 2]);
  });

  it("keeps the order and loses nothing below the limit, whatever is pushed between which turns", () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ count: fc.nat(40), turns: fc.nat(3) })),
        fc.constantFrom(0, 1, 7),
        (steps, cost) => {
          const { push, heard, leftOut, turn, spend, turns } = bench(() => spend(cost), 100_000);
          let pushed = 0;
          for (const step of steps) {
            push(pushed, step.count);
            pushed += step.count;
            for (let left = step.turns; left > 0; left--) turn();
          }
          while (turn());
          expect(heard).toEqual(upTo(pushed));
          expect(leftOut).toEqual([]);
          expect(turns.now()).toBeGreaterThanOrEqual(pushed * cost);
        },
      ),
    ));

  it("leaves a listener that takes its time three times as much again, and gives it smaller portions", () => {
    const { push, heard, turn, spend, turns } = bench(() => spend(2));
    push(0, 64);
    const portions: number[] = [];
    for (let before = 0; turn(); before = heard.length) if (heard.length > before) portions.push(heard.length - before);
    expect(portions.slice(0, 5)).toEqual([2, 2, 2, 2, 1]);
    expect(heard).toEqual(upTo(64));
    // 128 ms of work: at most a quarter of the time, but for the last portion, behind which nothing comes.
    expect(turns.now()).toBeGreaterThanOrEqual(4 * 64 * 2 - 3 * 2 * 2);
  });

  it("counts what a listener puts off, as Stately's does", () => {
    const time = turned();
    const heard: number[] = [];
    const putOff = (item: number) =>
      time.turns.after(0, () => {
        time.spend(2);
        heard.push(item);
      });
    const hands = handOver<number>(putOff, { turns: time.turns, onLeftOut: () => {} });
    for (const item of upTo(64)) hands.push(item);
    while (time.turn());
    expect(heard).toEqual(upTo(64));
    expect(time.turns.now()).toBeGreaterThanOrEqual(4 * 64 * 2 - 3 * 2 * 2);
  });

  it("leaves out what comes while the limit waits, and says so once", () => {
    const { push, heard, leftOut, turn } = bench(() => {}, 10);
    push(0, 15);
    while (turn());
    push(15, 30);
    while (turn());
    expect(heard).toEqual([...upTo(10), ...upTo(10).map((item) => item + 15)]);
    expect(leftOut).toEqual([5]);
  });

  it("finishes without rests, within a time", async () => {
    const { push, heard, leftOut, hands, spend, turn } = bench(() => spend(10));
    push(0, 100);
    const finishing = hands.finish(500);
    for (let turns = 0; turns < 200; turns++) {
      turn();
      await null;
    }
    await finishing;
    expect(heard).toEqual(upTo(50));
    expect(leftOut).toEqual([50]);
    push(100, 5);
    while (turn());
    expect(heard.at(-1)).toBeLessThan(100);
  });

  it("lets go of everything when it is stopped, also in the middle of a portion", () => {
    const { push, heard, hands, turn } = bench((item) => {
      if (item === 3) hands.stop();
    });
    push(0, 10);
    while (turn());
    expect(heard).toEqual(upTo(4));
  });
});
