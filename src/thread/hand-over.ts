/** The time that handing over takes place in: real, unless a test turns it. Virtual clocks of a system do not stop it. */
export interface Turns {
  /** ms; only differences count. */
  now(): number;
  after(ms: number, run: () => void): void;
}

const realTurns: Turns = {
  now: () => performance.now(),
  after: (ms, run) => void setTimeout(run, ms),
};

export interface HandOverOptions {
  /** Called once, with how many were left out by then, when the listener does not keep up. */
  readonly onLeftOut: (count: number) => void;
  /** What may wait; more is left out. Default 10,000. */
  readonly limit?: number;
  readonly turns?: Turns;
}

/** Passes items on to a listener, later and in order, so that who pushes never waits for it. */
export interface HandOver<T> {
  push(item: T): void;
  /** Hands over what waits, without a rest, until nothing does or `ms` have passed; the rest is left out. */
  finish(ms: number): Promise<void>;
  /** Lets go of what waits and takes no more. */
  stop(): void;
}

/** A portion ends when it has taken so many ms. One that did is halved for the next time, a shorter one is doubled. */
const longEnough = 4;
const firstPortion = 16;
const largestPortion = 1_024;
/** A listener that took some ms is left alone for so many times as long: it gets a quarter of the process at most. */
const rest = 3;

/**
 * The listener is called outside of whoever pushed, in portions that shrink when it takes long, with rests that grow with
 * what it took. What it put off with `setTimeout(…, 0)`, as Stately's inspector does with each event, counts too: it runs
 * between two marks that are set around the portion. `hear` must not throw.
 */
export const handOver = <T>(hear: (item: T) => void, options: HandOverOptions): HandOver<T> => {
  const { onLeftOut, limit = 10_000, turns = realTurns } = options;
  let waiting: T[] = [];
  let portion = firstPortion;
  let leftOut = 0;
  let told = false;
  let underway = false;
  let stopped = false;

  const hand = (most: number): void => {
    const until = turns.now() + longEnough;
    const items = waiting;
    let count = 0;
    while (count < Math.min(most, items.length) && !stopped && (count === 0 || turns.now() < until))
      hear(items[count++] as T);
    items.splice(0, count);
  };
  const tell = (): void => {
    if (leftOut === 0 || told) return;
    told = true;
    onLeftOut(leftOut);
  };
  const goOn = (): void => {
    const began = turns.now();
    let mark = began;
    turns.after(0, () => {
      mark = turns.now();
    });
    hand(portion);
    const spent = turns.now() - began;
    turns.after(0, () => {
      const took = spent + turns.now() - mark;
      portion = took < longEnough ? Math.min(portion * 2, largestPortion) : Math.max(Math.floor(portion / 2), 1);
      tell();
      if (waiting.length > 0) turns.after(rest * took, goOn);
      else underway = false;
    });
  };

  return {
    push(item) {
      if (stopped) return;
      if (waiting.length >= limit) {
        leftOut += 1;
        return;
      }
      waiting.push(item);
      if (underway) return;
      underway = true;
      turns.after(0, goOn);
    },
    async finish(ms) {
      const until = turns.now() + ms;
      while (waiting.length > 0 && turns.now() < until) {
        hand(Number.POSITIVE_INFINITY);
        await new Promise<void>((resolve) => turns.after(0, resolve));
      }
      leftOut += waiting.length;
      tell();
      this.stop();
    },
    stop() {
      stopped = true;
      waiting = [];
    },
  };
};
