import type { PlacedEntry } from "../../../../machines/history/entry.ts";
import type { Input, WaitingInput } from "../../../../machines/thread/input.ts";

export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A person, or the thread above, stops what is going on. */
export const interrupts = ({ input }: WaitingInput): boolean =>
  input.kind === "interrupt" ||
  input.kind === "halt" ||
  input.kind === "close" ||
  (input.kind === "text" && input.whileBusy === "interrupt");

const waiters: ReadonlySet<Input["kind"]> = new Set(["event", "report", "ended", "message"]);

/** What R4 holds back. */
export const canWait = ({ input }: WaitingInput): boolean =>
  waiters.has(input.kind) || (input.kind === "text" && input.whileBusy === "wait");

/** What an entry reads of an input, by where it came from. */
export const wordsRead = ({ entry }: PlacedEntry): string | undefined => {
  if (entry.kind === "user") return `text ${entry.text}`;
  if (entry.kind !== "event") return undefined;
  return entry.from === undefined ? `event ${entry.source.callId} ${entry.text}` : `child ${entry.from} ${entry.text}`;
};
