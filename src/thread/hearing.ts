import type { WaitingInput } from "../../machines/thread/input.ts";
import type { Notice } from "../queue/notice.ts";
import type { SeenInputs } from "./seen-inputs.ts";

/**
 * Hands on what a thread is told of in the order of acceptance (R3). Senders are told at different times, and those of other
 * processes later still: where something waits behind an input that was not told of yet, the inbox is read first, and what
 * comes meanwhile stands behind it.
 */
export interface Hearing {
  hear(notices: readonly Notice[]): void;
  /** Settled when the inbox was read; undefined when it is not being read. Never rejects. */
  readonly reading: Promise<void> | undefined;
}

export interface HearingOptions {
  readonly seen: SeenInputs;
  /** Takes inputs; those that were taken before are left out by it. */
  readonly take: (inputs: readonly WaitingInput[]) => void;
  /** The inbox as it is in the store. */
  readonly read: () => Promise<readonly WaitingInput[]>;
  /** The inbox cannot be read: what was told of is handed on without it. */
  readonly failed: (error: unknown) => void;
}

const inputsOf = (notices: readonly Notice[]): readonly WaitingInput[] => notices.map(({ waiting }) => waiting);

export const createHearing = ({ seen, take, read, failed }: HearingOptions): Hearing => {
  let reading: Promise<void> | undefined;
  let late: readonly Notice[] = [];

  /** The first that waits behind one that nobody told of; as many as there are when there is none. */
  const gapIn = (notices: readonly Notice[]): number => {
    const told = new Set<number>();
    const gap = notices.findIndex(({ waiting: { seq }, behind }) => {
      if (seen.knows(seq)) return false;
      told.add(seq);
      return behind !== undefined && !told.has(behind) && !seen.knows(behind);
    });
    return gap < 0 ? notices.length : gap;
  };

  const catchUp = async (held: readonly Notice[]): Promise<void> => {
    let inbox: readonly WaitingInput[];
    try {
      inbox = await read();
    } catch (error) {
      failed(error);
      inbox = inputsOf(held);
    }
    reading = undefined;
    take(inbox);
    // Accepted before the inbox was read: one that is not in it was consumed long ago.
    for (const { waiting } of held) seen.isNew(waiting.seq);
    const behind = late;
    late = [];
    hear(behind);
  };

  const hear = (notices: readonly Notice[]): void => {
    if (reading !== undefined) {
      late = [...late, ...notices];
      return;
    }
    const gap = gapIn(notices);
    take(inputsOf(notices.slice(0, gap)));
    if (gap === notices.length) return;
    reading = catchUp(notices.slice(gap));
  };

  return {
    hear,
    get reading() {
      return reading;
    },
  };
};
