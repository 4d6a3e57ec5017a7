import type fc from "fast-check";
import type { ScriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { settle, type VirtualClock } from "../../../src/testing/virtual-clock.ts";

/** Everything of a system that begins and ends in an order that a scheduler makes up. The clock stands until it is turned. */
export class Operations {
  readonly #scheduler: fc.Scheduler;
  readonly #clock: VirtualClock;
  readonly #model: ScriptedModel;

  constructor(scheduler: fc.Scheduler, clock: VirtualClock, model: ScriptedModel) {
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#model = model;
  }

  /** Resolves when the operation's turn has come; never, once its process has ended. */
  turnsOf(lives: () => boolean): (label: string) => Promise<void> {
    return async (label) => {
      await this.#scheduler.schedule(Promise.resolve(), label);
      if (!lives()) await new Promise(() => {});
    };
  }

  /** At most so many operations end. */
  async release(most: number): Promise<void> {
    for (let left = most; left > 0 && this.#scheduler.count() > 0; left--) {
      await this.#scheduler.waitNext(1);
      await settle(3);
    }
  }

  async pass(ms: number): Promise<void> {
    await this.#clock.advance(ms, () => settle(3));
  }

  /**
   * Operations end, one after the other, until `done`; where nothing goes on by itself models say a word, and then the clock
   * turns. False when it does not come to that.
   */
  async goOn(done: () => boolean): Promise<boolean> {
    for (let turns = 0; turns < 3_000; turns++) {
      await settle(3);
      if (this.#scheduler.count() > 0) await this.release(1);
      else if (done()) return true;
      else if (this.#model.openRequests[0]) this.#model.openRequests[0].answer("ok");
      else if (this.#clock.due[0] !== undefined) await this.pass(this.#clock.due[0] - this.#clock.now());
    }
    return false;
  }
}
