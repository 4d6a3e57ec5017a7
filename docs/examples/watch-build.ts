import { asyncScheduler, interval, map, type SchedulerLike, take } from "rxjs";
import { defineTool } from "wakeful";
import { z } from "zod";
import { reportOn } from "./get-build-status.ts";

interface WatchOptions {
  /** ms from one update to the next. */
  readonly every?: number;
  /** What time is; tests turn a virtual one. */
  readonly scheduler?: SchedulerLike;
}

/**
 * A subscription whose events are not `associative`: each is handled in a child of the thread, which tells it what it
 * should know. The thread itself is not woken by an event, only by such a report.
 */
export const createWatchBuild = ({ every = 300, scheduler = asyncScheduler }: WatchOptions = {}) =>
  defineTool({
    name: "watch_build",
    description: "Watch a build; each update arrives as an event, in a child thread of its own.",
    inputSchema: z.object({
      build_id: z.string().regex(/^\d+$/, "expected the number of a build").describe("Build identifier, e.g. 42"),
      updates: z.int().min(1).max(1_000).default(3).describe("How many updates to get; the last one says how it went"),
    }),
    display: ({ build_id }) => `Watch build ${build_id}`,
    subscribe: ({ build_id, updates }) => ({
      started: `Watching build ${build_id}.`,
      events: interval(every, scheduler).pipe(
        take(updates),
        map((index) => {
          const final = index + 1 === updates;
          const report = final ? reportOn(build_id) : `running: ${index + 1} of ${updates} steps done`;
          return { text: `update ${index + 1} of ${updates}, build ${build_id} is ${report}.`, final };
        }),
      ),
    }),
  });

export const watchBuild = createWatchBuild();
