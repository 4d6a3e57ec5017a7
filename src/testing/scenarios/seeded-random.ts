/** Chance that is the same in every play, and small, so that waits before a retry are short. */
export const seededRandom = (): (() => number) => {
  let state = 0x2545f491;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 / 100;
  };
};
