/**
 * Makes ids that no other call of the returned function makes, and that differ between processes as far as `random`
 * does. The count keeps them apart even where `random` repeats itself, as a test's may.
 */
export const freshIds = (random: () => number): (() => string) => {
  let count = 0;
  const piece = () =>
    Math.floor(random() * 36 ** 6)
      .toString(36)
      .padStart(6, "0");
  return () => `${piece()}${piece()}${piece()}-${(count++).toString(36)}`;
};

/** A short reference for people to find a cause by: 8 characters. */
export const referenceFrom = (random: () => number): string =>
  Math.floor(random() * 36 ** 8)
    .toString(36)
    .padStart(8, "0");
