/** One line of a comparison: what was expected beside what was seen; either side can be missing. */
export interface Row {
  readonly fits: boolean;
  readonly expected?: string;
  readonly seen?: string;
}

/**
 * Puts two lists beside each other so that as many as possible fit, in order (a longest common subsequence); what is left
 * between two that fit is paired from the top.
 */
export const align = <E, S>(
  expected: readonly E[],
  seen: readonly S[],
  { fits, tellExpected, tellSeen }: AlignOptions<E, S>,
): readonly Row[] => {
  const longest = lengths(expected, seen, fits);
  const rows: Row[] = [];
  let left: string[] = [];
  let right: string[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(left.length, right.length); index++) {
      const [a, b] = [left[index], right[index]];
      rows.push({ fits: false, ...(a !== undefined && { expected: a }), ...(b !== undefined && { seen: b }) });
    }
    left = [];
    right = [];
  };
  let [i, j] = [0, 0];
  while (i < expected.length || j < seen.length) {
    // Two that fit at the front can always stand beside each other: leaving them apart gains nothing.
    if (i < expected.length && j < seen.length && fits(expected[i] as E, seen[j] as S)) {
      flush();
      rows.push({ fits: true, expected: tellExpected(expected[i++] as E), seen: tellSeen(seen[j++] as S) });
    } else if (i < expected.length && (j >= seen.length || (longest[i + 1]?.[j] ?? 0) >= (longest[i]?.[j + 1] ?? 0)))
      left.push(tellExpected(expected[i++] as E));
    else right.push(tellSeen(seen[j++] as S));
  }
  flush();
  return rows;
};

export interface AlignOptions<E, S> {
  readonly fits: (expected: E, seen: S) => boolean;
  readonly tellExpected: (expected: E) => string;
  readonly tellSeen: (seen: S) => string;
}

/** `lengths[i][j]`: how many fit, in order, of what follows `i` and `j`. */
const lengths = <E, S>(expected: readonly E[], seen: readonly S[], fits: (e: E, s: S) => boolean): number[][] => {
  const table = Array.from({ length: expected.length + 1 }, () => new Array<number>(seen.length + 1).fill(0));
  for (let i = expected.length - 1; i >= 0; i--)
    for (let j = seen.length - 1; j >= 0; j--) {
      const skip = Math.max(table[i + 1]?.[j] ?? 0, table[i]?.[j + 1] ?? 0);
      const both = fits(expected[i] as E, seen[j] as S) ? (table[i + 1]?.[j + 1] ?? 0) + 1 : 0;
      (table[i] as number[])[j] = Math.max(skip, both);
    }
  return table;
};

const cut = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text);

/** Rows as two columns, the ones that do not fit marked with `≠`. `width`: characters of a column at most. */
export const drawRows = (rows: readonly Row[], width = 72): readonly string[] => {
  const table = [{ fits: true, expected: "expected", seen: "seen" }, ...rows].map(
    ({ fits, expected = "–", seen = "–" }) => ({
      mark: fits ? " " : "≠",
      expected: cut(expected, width),
      seen: cut(seen, width),
    }),
  );
  const column = Math.max(...table.map(({ expected }) => expected.length));
  return table.map(({ mark, expected, seen }) => `${mark} ${expected.padEnd(column)}  ${seen}`);
};
