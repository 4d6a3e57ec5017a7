import type { LoadedThread } from "../store/store.ts";

/** Which inputs an actor was told of; it may be told of the same by several who accept and by who reads the store. */
export interface SeenInputs {
  /** True once for each number. */
  isNew(seq: number): boolean;
  /** Whether it was told of; changes nothing. */
  knows(seq: number): boolean;
}

/** Numbers kept; further back nobody tells of an input any more. */
const kept = 1_000;

/**
 * `loaded`: the thread as it was read. What was accepted before that waits in its inbox or was consumed, however late its
 * acceptor hears of it and tells (R2). Further numbers may come out of order, by as much as senders race.
 */
export const seenInputs = ({ inbox, acceptedUpTo = 0 }: Pick<LoadedThread, "inbox" | "acceptedUpTo">): SeenInputs => {
  let floor = Math.max(acceptedUpTo, inbox.at(-1)?.seq ?? 0);
  const seen = new Set<number>();
  const knows = (seq: number): boolean => seq <= floor || seen.has(seq);
  return {
    knows,
    isNew(seq) {
      if (knows(seq)) return false;
      seen.add(seq);
      if (seen.size > 2 * kept) {
        const numbers = [...seen].sort((a, b) => a - b);
        floor = numbers[numbers.length - kept - 1] ?? floor;
        for (const number of numbers) if (number <= floor) seen.delete(number);
      }
      return true;
    },
  };
};
