import { drawRows, type Row } from "./align.ts";

/** Something that is not as the scenario says, told so that a person finds the place and the fault. */
export interface Difference {
  /** Where in the scenario: `steps[3] (tool_result)`, or `at the end`. */
  readonly where: string;
  /** What was compared or tried, e.g. `model_requests, request 2 of t1 (exact)`. */
  readonly what: string;
  readonly expected?: string;
  readonly seen?: string;
  /** For lists: both sides, line by line. */
  readonly rows?: readonly Row[];
}

/** A step cannot be played, or the runtime did what no step accounts for. The rest is not played. */
export class PlayStopped extends Error {
  override readonly name = "PlayStopped";
  readonly difference: Omit<Difference, "where">;
  constructor(what: string, { expected, seen }: { readonly expected?: string; readonly seen?: string } = {}) {
    super(what);
    this.difference = { what, ...(expected !== undefined && { expected }), ...(seen !== undefined && { seen }) };
  }
}

export const tellDifference = ({ where, what, expected, seen, rows }: Difference): readonly string[] => [
  `${where}: ${what}`,
  ...(expected === undefined ? [] : [`  expected  ${expected}`]),
  ...(seen === undefined ? [] : [`  seen      ${seen}`]),
  ...(rows ? drawRows(rows).map((row) => `  ${row}`) : []),
];
