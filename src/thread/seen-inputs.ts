import type { WaitingInput } from "../../machines/thread/input.ts";

/** Which inputs an actor was told of; it may be told of the same by several who accept and by who reads the store. */
export interface SeenInputs {
  /** True once for each number. */
  isNew(seq: number): boolean;
  /** Whether it was told of; changes nothing. */
  knows(seq: number): boolean;
}

/** Numbers kept; further back nobody tells of an input any more. */
const kept = 1_000;

/** `loaded`: the inbox the thread was loaded with. Numbers may come out of order, by as much as senders race. */
export const seenInputs = (loaded: readonly WaitingInput[]): SeenInputs => {
  const seen = new Set(loaded.map(({ seq }) => seq));
  let floor = 0;
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
