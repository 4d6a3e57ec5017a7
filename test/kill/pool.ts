/** Does `work` for each, `width` at a time, and begins them in their order. */
export const inPool = async <T>(all: readonly T[], width: number, work: (one: T) => Promise<void>): Promise<void> => {
  const waiting = [...all];
  const worker = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: width }, worker));
};
