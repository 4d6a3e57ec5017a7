/** Bounds how many requests are open at once. First come, first served. */
export interface RequestSlots {
  /** Resolves to a function that gives the slot back; calling it again does nothing. Rejects when `signal` aborts first. */
  take(signal: AbortSignal): Promise<() => void>;
}

export const requestSlots = (limit: number): RequestSlots => {
  let open = 0;
  const queue: (() => void)[] = [];
  const release = (): (() => void) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      open -= 1;
      queue.shift()?.();
    };
  };
  return {
    take(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (open < limit) {
        open += 1;
        return Promise.resolve(release());
      }
      return new Promise((resolve, reject) => {
        const go = () => {
          signal.removeEventListener("abort", leave);
          open += 1;
          resolve(release());
        };
        const leave = () => {
          queue.splice(queue.indexOf(go), 1);
          reject(signal.reason);
        };
        queue.push(go);
        signal.addEventListener("abort", leave, { once: true });
      });
    },
  };
};
