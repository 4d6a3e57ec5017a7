import { tellDifference } from "./difference.ts";
import type { ScenarioReport } from "./player.ts";

export type Mood = "good" | "bad" | "quiet";

/** Colours a piece of a line; the default leaves it as it is. */
export type Tint = (mood: Mood, text: string) => string;

const plain: Tint = (_, text) => text;

/** One line a scenario; under a failed one the differences, and what may have led to them. */
export const reportLines = (report: ScenarioReport, tint: Tint = plain): readonly string[] => {
  const { id, title } = report;
  switch (report.outcome) {
    case "passed":
      return [`${tint("good", "ok")} ${id} ${title}`];
    case "skipped":
      return [tint("quiet", `skip ${id} ${title} (needs ${report.needs.join(", ")})`)];
    case "failed":
      return [
        `${tint("bad", "FAIL")} ${id} ${title}`,
        ...report.differences.flatMap(tellDifference).map((line) => `  ${line}`),
        ...report.notes.map((note) => tint("quiet", `  note: ${note}`)),
      ];
  }
};

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const countsOf = (reports: readonly ScenarioReport[]): Counts => {
  const count = (outcome: ScenarioReport["outcome"]) => reports.filter((report) => report.outcome === outcome).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
};

export const summaryLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;
