import type { ThreadId } from "../../../machines/history/ids.ts";

/** Ids of threads that are only ever added, read in order: ascending by code units, as `sort()` has them. */
export interface IdList {
  /** The id is in no list twice: a thread is created once. */
  add(threadId: ThreadId): void;
  /** The ids behind `after`, which need not be one of them. Sorts what was added since it was last asked. */
  behind(after: string): Iterable<ThreadId>;
}

export const idList = (): IdList => {
  const ids: ThreadId[] = [];
  let sorted = 0;
  return {
    add: (threadId) => void ids.push(threadId),
    *behind(after) {
      if (sorted < ids.length) sorted = ids.sort().length;
      for (let index = firstBehind(ids, after); index < ids.length; index++) yield ids[index] as ThreadId;
    },
  };
};

const firstBehind = (ids: readonly string[], after: string): number => {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as string) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
};
