import { type CrashPoint, crashPoints } from "../../src/crash-points.ts";

/** A visit of a point, from 1. */
export interface Death {
  readonly point: CrashPoint;
  readonly visit: number;
}

/** What tells one part of a story from another: how far the turn, its call and its result got. */
const milestones: readonly CrashPoint[] = ["committed", "marked", "acknowledged", "result-sent"];

/**
 * Where a process dies that would leave `trail` if it lived: at every point in every part of its story, and at the last
 * visit of every point.
 */
export const deathsOn = (trail: readonly CrashPoint[]): Death[] => {
  const visits = new Map<CrashPoint, number>();
  const reached = new Set<CrashPoint>();
  const parts = new Map<string, Death>();
  for (const point of trail) {
    const visit = (visits.get(point) ?? 0) + 1;
    visits.set(point, visit);
    const part = [point, ...reached].join(" ");
    if (!parts.has(part)) parts.set(part, { point, visit });
    if (milestones.includes(point)) reached.add(point);
  }
  const deaths = [...parts.values()];
  for (const [point, visit] of visits)
    if (!deaths.some((death) => death.point === point && death.visit === visit)) deaths.push({ point, visit });
  return deaths.sort((a, b) => crashPoints.indexOf(a.point) - crashPoints.indexOf(b.point) || a.visit - b.visit);
};

/** The trail of a process that dies there. */
export const untilDeath = (trail: readonly CrashPoint[], { point, visit }: Death): readonly CrashPoint[] => {
  let visits = 0;
  return trail.slice(0, trail.findIndex((name) => name === point && ++visits === visit) + 1);
};
