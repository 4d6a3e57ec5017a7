import { InputRefusedError } from "../../errors.ts";
import type { Thread } from "../../system/api.ts";
import type { Line } from "./lines.ts";
import { type Family, isDone, isOver, untilRest } from "./rest.ts";

export interface LineQueue {
  readonly thread: Thread;
  readonly family: Family;
  readonly lines: AsyncIterable<Line>;
  /** A line was not sent; the ones after it are. */
  readonly onRefused: (line: Line, reason: string) => void;
  /** Sends no more lines and waits for nothing. */
  readonly signal: AbortSignal;
}

const asMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Why a line cannot be sent; undefined when it was. */
export const sent = async (thread: Thread, line: Line): Promise<string | undefined> => {
  if ("tooLong" in line)
    return `it is ${asMegabytes(line.tooLong)} long, more than one input may be; give the agent a tool that reads it in parts`;
  try {
    await thread.send(line.text);
    return undefined;
  } catch (error) {
    if (error instanceof InputRefusedError) return error.reason;
    throw error;
  }
};

/**
 * Sends each line once the work on the one before is done, also below the thread, and blank ones not at all; then waits
 * until all of them are over. Resolves to whether everything went well: no line was refused, and no work ended in a failure.
 */
export const sendLines = async ({ thread, family, lines, onRefused, signal }: LineQueue): Promise<boolean> => {
  let isWell = true;
  const rest = async (holds: typeof isDone): Promise<void> => {
    await untilRest({ thread, family }, holds, signal);
    if (!signal.aborted && (await family()).some((each) => each.view().lastFailure)) isWell = false;
  };
  for await (const line of lines) {
    if (signal.aborted) break;
    if ("text" in line && line.text.trim() === "") continue;
    const reason = await sent(thread, line);
    if (reason === undefined) await rest(isDone);
    else {
      isWell = false;
      onRefused(line, reason);
    }
  }
  await rest(isOver);
  return isWell;
};
