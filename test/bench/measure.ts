/** The value below which `share` of the values lie. */
const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  return low + ((sorted[Math.ceil(place)] ?? Number.NaN) - low) * (place % 1);
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * µs that this thread has computed, garbage collection on it and its calls into the system included. Unlike the clock on
 * the wall it does not count what other programs on the machine do meanwhile, nor waiting for a disk.
 */
export const threadTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

/** µs on the wall, from whenever. */
export const wallTime = (): number => performance.now() * 1_000;

/**
 * Runs the contestants in turn, `rounds` times after some rounds that only warm up, so that whatever else the machine
 * does meets all of them alike. Returns what each returned in the rounds that count.
 */
export const interleaved = async <Name extends string, Sample>(
  contestants: Record<Name, () => Promise<Sample>>,
  rounds: number,
  warmUps = 3,
): Promise<Record<Name, readonly Sample[]>> => {
  const names = Object.keys(contestants) as Name[];
  const series = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>;
  for (let round = -warmUps; round < rounds; round++)
    for (const name of names) {
      globalThis.gc?.();
      const sample = await contestants[name]();
      if (round >= 0) series[name].push(sample);
    }
  return series;
};

export interface Figure {
  readonly bench: string;
  readonly ratio: number;
  /** The ratio must not be above this, or not below that; without either it is shown for what it says. */
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Of what the ratio was made: one value for each run. */
  readonly of: Readonly<Record<string, readonly number[]>>;
  /** What a value is, with its clock: "µs of thread time a round trip". */
  readonly unit: string;
  /** What else there is to know: how much a run does, what was counted. */
  readonly each: Readonly<Record<string, number | string>>;
}

const rounded = (value: number): number => Number(value.toPrecision(4));

/**
 * One JSON line for each figure; returns whether it holds. For each contestant the median of its runs, between which
 * bounds the middle half of them lies, and how many there were.
 */
export const print = ({ bench, ratio, atMost, atLeast, of, unit, each }: Figure): boolean => {
  const holds = ratio <= (atMost ?? Number.POSITIVE_INFINITY) && ratio >= (atLeast ?? Number.NEGATIVE_INFINITY);
  const shown = Object.entries(of).map(([name, values]) => {
    const middle = [quantile(values, 0.25), quantile(values, 0.75)].map(rounded);
    return [name, { median: rounded(median(values)), middle, runs: values.length }];
  });
  const line = { bench, ratio: rounded(ratio), atMost, atLeast, holds, unit, of: Object.fromEntries(shown), each };
  console.log(JSON.stringify(line));
  return holds;
};
