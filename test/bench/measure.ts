/** Numbers of one series of runs. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * µs that this thread has computed, garbage collection on it included. Unlike the clock on the wall it does not count what
 * other programs on the machine do meanwhile.
 */
export const threadTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

/**
 * Runs the contestants in turn, `rounds` times after one round that only warms up, so that whatever else the machine
 * does meets all of them alike. Returns the median of each, in the unit the contestants return.
 */
export const interleaved = async <Name extends string>(
  contestants: Record<Name, () => Promise<number>>,
  rounds: number,
): Promise<Record<Name, number>> => {
  const names = Object.keys(contestants) as Name[];
  const series = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round++)
    for (const name of names) {
      globalThis.gc?.();
      const cost = await contestants[name]();
      if (round > 0) series[name].push(cost);
    }
  return Object.fromEntries(names.map((name) => [name, median(series[name])])) as Record<Name, number>;
};

export interface Figure {
  readonly bench: string;
  readonly ratio: number;
  /** The ratio must not be above this; absent for figures that are shown for what they say. */
  readonly atMost?: number;
  /** What the ratio was made of, µs unless the name says otherwise. */
  readonly of: Record<string, number>;
}

/** One JSON line for each figure; returns whether the ratio holds. */
export const print = (figure: Figure): boolean => {
  const rounded = (value: number) => Math.round(value * 100) / 100;
  const of = Object.fromEntries(Object.entries(figure.of).map(([name, value]) => [name, rounded(value)]));
  const holds = figure.ratio <= (figure.atMost ?? Number.POSITIVE_INFINITY);
  console.log(JSON.stringify({ ...figure, ratio: rounded(figure.ratio), of, holds }));
  return holds;
};
