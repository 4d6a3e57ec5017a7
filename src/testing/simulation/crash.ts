import type { CrashPoint } from "../../crash-points.ts";

/** A process ended where a story says so: what stands behind the point does not happen. */
export class Crash extends Error {
  override readonly name = "Crash";
}

/** Where the store has done it all: the operation is let through, and its answer is never heard. */
export const afterTheFact: ReadonlySet<CrashPoint> = new Set(["created", "accepted", "committed", "acknowledged"]);
