/**
 * Time, for everything that waits. The same shape serves XState's delays. `setTimeout` takes any delay in ms, also one
 * beyond the 24.8 days that a JavaScript timer can hold.
 */
export interface Clock {
  /** ms since the epoch. */
  now(): number;
  setTimeout(fn: () => void, delay: number): unknown;
  clearTimeout(id: unknown): void;
}

/** The longest delay that Node's timers hold; a longer one would fire at once. */
const longest = 2 ** 31 - 1;

/** Node's clock. Long delays are taken in pieces. A timer that is set keeps the process alive, as Node's own do. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(fn, delay) {
    const handle: { timer?: NodeJS.Timeout } = {};
    const arm = (left: number) => {
      const piece = Math.min(left, longest);
      handle.timer = setTimeout(() => (left > piece ? arm(left - piece) : fn()), piece);
    };
    arm(Math.max(0, delay));
    return handle;
  },
  clearTimeout(id) {
    clearTimeout((id as { timer?: NodeJS.Timeout } | undefined)?.timer);
  },
};
