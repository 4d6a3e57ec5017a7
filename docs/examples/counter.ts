import { asyncScheduler, interval, map, type SchedulerLike, take } from "rxjs";
import { defineTool } from "wakeful";
import { z } from "zod";

interface CounterOptions {
  /** ms from one number to the next. */
  readonly every?: number;
  /** What time is; tests turn a virtual one. */
  readonly scheduler?: SchedulerLike;
}

/**
 * A subscription: `started` answers the call, and then each number arrives as an event and wakes the thread.
 * `associative` puts the event into the thread's own history; the `final` one ends the subscription. When the thread
 * does not want more, the Observable is unsubscribed.
 */
export const createCounter = ({ every = 150, scheduler = asyncScheduler }: CounterOptions = {}) =>
  defineTool({
    name: "count_up",
    description: "Count from 1 up to a number; each number arrives as an event.",
    inputSchema: z.object({ to: z.int().min(1).max(1_000).describe("The last number") }),
    display: ({ to }) => `Count to ${to}`,
    subscribe: ({ to }) => ({
      started: `Counting to ${to}.`,
      events: interval(every, scheduler).pipe(
        take(to),
        map((index) => ({ text: String(index + 1), associative: true, final: index + 1 === to })),
      ),
    }),
  });

export const countUp = createCounter();
