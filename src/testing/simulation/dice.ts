/** Chance from a seed: the same seed throws the same numbers. */
export interface Dice {
  /** In [0, 1). */
  next(): number;
  /** A whole number from 0 to `count - 1`; 0 when there is nothing to choose from. */
  below(count: number): number;
  chance(share: number): boolean;
  of<T>(list: readonly T[]): T;
  /** One of the values, each as often as its weight says. */
  weighted<T>(list: readonly (readonly [weight: number, value: T])[]): T;
}

/** Mulberry32: small, fast, and good enough to tell stories with. */
export const dice = (seed: number): Dice => {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number): number => (count <= 0 ? 0 : Math.floor(next() * count));
  return {
    next,
    below,
    chance: (share) => next() < share,
    of: <T>(list: readonly T[]) => list[below(list.length)] as T,
    weighted<T>(list: readonly (readonly [number, T])[]) {
      let left = next() * list.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of list) {
        left -= weight;
        if (left < 0) return value;
      }
      return list.at(-1)?.[1] as T;
    },
  };
};
