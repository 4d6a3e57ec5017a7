import type { VirtualClock } from "../virtual-clock.ts";
import { PlayStopped } from "./difference.ts";
import type { Activity } from "./incarnation.ts";

/** Turns of the event loop without anything happening, after which nothing is under way any more. */
const quietTurns = 6;
/** Turns with something happening in each, after which a runtime that never comes to rest is given up. */
const restlessTurns = 100_000;
/** Instants at which something was due, in one step of a scenario, after which the same is said. */
const restlessInstants = 10_000;

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets a runtime go on until it has come to rest, without waiting for real time: turns of the event loop, and of the
 * clock only where told. Throws PlayStopped for a runtime that never does.
 */
export class Settling {
  readonly #clock: VirtualClock;
  readonly #activity: Activity;
  #instants = 0;

  constructor(clock: VirtualClock, activity: Activity) {
    this.#clock = clock;
    this.#activity = activity;
  }

  /** Nothing is under way any more at this instant of the clock. What is due now was not called. */
  async quiet(): Promise<void> {
    let still = 0;
    for (let turns = 0; still < quietTurns; turns++) {
      if (turns > restlessTurns) throw new PlayStopped("the runtime does not come to rest: it goes on by itself");
      const before = this.#activity.beats;
      await turnOfLoop();
      still = before === this.#activity.beats && this.#activity.underway === 0 ? still + 1 : 0;
    }
  }

  /** Turns the clock; the runtime settles at each instant at which something is due. */
  async advance(ms: number): Promise<void> {
    this.#instants = 0;
    await this.#turn(ms);
  }

  /**
   * Calls what is due now. As long as there are `retries` (the instant of each, by thread), the clock goes on from timer
   * to timer, and those whose instant came are taken out; else it stands still.
   */
  async rest(retries: Map<string, number>): Promise<void> {
    this.#instants = 0;
    for (;;) {
      await this.quiet();
      const now = this.#clock.now();
      for (const [thread, at] of retries) if (at <= now) retries.delete(thread);
      const [due] = this.#clock.due;
      if (due === undefined || (due > now && retries.size === 0)) return;
      await this.#turn(Math.max(0, due - now));
    }
  }

  /** Turns the clock to the next instant at which something is due; false when nothing is. */
  async next(): Promise<boolean> {
    const [due] = this.#clock.due;
    if (due !== undefined) await this.advance(Math.max(0, due - this.#clock.now()));
    return due !== undefined;
  }

  #turn(ms: number): Promise<void> {
    return this.#clock.advance(ms, () => {
      if (++this.#instants > restlessInstants)
        throw new PlayStopped("the runtime does not come to rest: timer follows timer");
      return this.quiet();
    });
  }
}
