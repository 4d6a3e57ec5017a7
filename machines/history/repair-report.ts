import { z } from "zod";

/** What was wrong at a place of a history. */
export const RepairKind = z.enum([
  "missing-result",
  "doubled-result",
  "orphaned-result",
  "misplaced-result",
  "misnamed-result",
  "misplaced-entry",
  "doubled-call",
  "cut-call",
  "blank-text",
  "unreadable-entry",
  "lost-entry",
  "turn-without-input",
  "outstanding-call",
]);
export type RepairKind = z.infer<typeof RepairKind>;

/** One thing that was mended. `position`: where it was found. `what`: a sentence that says what was done. */
export const Repair = z.object({ kind: RepairKind, position: z.number(), what: z.string() });
export type Repair = z.infer<typeof Repair>;

/** Takes down what is done, in the order in which it is done. */
export type Report = (kind: RepairKind, position: number, what: string) => void;
