import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../src/clock.ts";

const day = 86_400_000;
/** Beyond this a JavaScript timer fires at once. */
const longest = 2 ** 31 - 1;

describe("the system's clock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([0, 1, longest, longest + 1, 2 * longest, 2 * longest + 1, 400 * day])(
    "calls once after %i ms, not before, also when no timer holds that long (R9)",
    (delay) => {
      const calls = vi.fn();
      systemClock.setTimeout(calls, delay);
      if (delay > 0) vi.advanceTimersByTime(delay - 1);
      expect(calls).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(calls).toHaveBeenCalledOnce();
      vi.advanceTimersByTime(delay + day);
      expect(calls).toHaveBeenCalledOnce();
    },
  );

  it("calls at once what is due already", () => {
    const calls = vi.fn();
    systemClock.setTimeout(calls, -5 * day);
    vi.advanceTimersByTime(0);
    expect(calls).toHaveBeenCalledOnce();
  });

  it("can be told in any piece of a long wait not to call", () => {
    const calls = vi.fn();
    for (const waited of [0, day, longest, longest + day]) {
      const id = systemClock.setTimeout(calls, 3 * longest);
      vi.advanceTimersByTime(waited);
      systemClock.clearTimeout(id);
    }
    vi.advanceTimersByTime(4 * longest);
    expect(calls).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
