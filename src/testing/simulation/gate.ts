import type { Dice } from "./dice.ts";

/** One process of a simulated world, as far as it can be stopped. */
export interface Mortal {
  /** Nothing of a process that is dead ever ends. */
  readonly alive: boolean;
  /** Nothing of it ends until it goes on. */
  readonly paused: boolean;
}

interface Pending {
  readonly of: Mortal;
  readonly resolve: () => void;
}

/** What never ends. */
export const never = new Promise<never>(() => {});

/** Lets what is under way end in an order that a seed decides. */
export class Gate {
  #pending: Pending[] = [];
  readonly #chance: Dice;

  constructor(chance: Dice) {
    this.#chance = chance;
  }

  /** Operations that could end now. */
  get count(): number {
    let count = 0;
    for (const { of } of this.#pending) if (of.alive && !of.paused) count++;
    return count;
  }

  /** Resolves when its turn has come; never in a process that has died. */
  async turn(of: Mortal): Promise<void> {
    if (!of.alive) return never;
    await new Promise<void>((resolve) => this.#pending.push({ of, resolve }));
    if (!of.alive) return never;
  }

  /** One of the operations that could end does. */
  release(): void {
    this.#pending = this.#pending.filter(({ of }) => of.alive);
    const ready = this.#pending.filter(({ of }) => !of.paused);
    if (ready.length === 0) return;
    const one = this.#chance.of(ready);
    this.#pending.splice(this.#pending.indexOf(one), 1);
    one.resolve();
  }
}
