/** ms between looks. */
const interval = 20;
/** ms after which what should have happened long ago will not. */
const limit = 60_000;

/** Looks again and again until another process has done something; what it did is the value. Throws after a minute. */
export const until = async <T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
  for (let waited = 0; waited < limit; waited += interval) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
  throw new Error(`${what} did not happen within ${limit} ms`);
};
