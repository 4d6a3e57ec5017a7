import { firstValueFrom, from, fromEvent, merge, skip } from "rxjs";
import type { Call } from "../../../machines/thread/commit.ts";
import type { System, Thread, ThreadView } from "../../system/api.ts";
import { builtinTools } from "../../tool/builtin/index.ts";

/** Whether a built-in wait ends at an instant of its own, as those of `sleep` and `sleep_until` do. */
const isTimed = ({ form, name, args }: Call): boolean => {
  const tool = form === "builtin" ? builtinTools.find((builtin) => builtin.name === name) : undefined;
  if (tool?.form !== "builtin") return false;
  const parsed = tool.parse(args);
  if (!parsed.ok) return false;
  const { wakeAfter, wakeAt } = tool.terms(parsed.args);
  return wakeAfter !== undefined || wakeAt !== undefined;
};

/**
 * The work on a line is done: no round, no active call, no timed sleep. Subscriptions and waits for whatever comes next
 * may go on: the next line is what they wait for, or it does not disturb them.
 */
export const isDone = ({ state, calls }: ThreadView): boolean =>
  state !== "running" && calls.every((call) => call.passive && !isTimed(call));

/** Every wait that is left is one for another input, and nothing in the thread can bring one. */
export const isStuck = (view: ThreadView): boolean =>
  isDone(view) &&
  view.calls.length > 0 &&
  view.subscriptions.length === 0 &&
  view.calls.every(({ form }) => form === "builtin");

export const isOver = (view: ThreadView): boolean => view.state === "idle" || view.state === "closed" || isStuck(view);

/** A thread and the open threads below it. */
export type Family = () => Promise<readonly Thread[]>;

export const familyOf =
  (system: Pick<System, "thread">, root: Thread): Family =>
  async () => {
    const threads = [root];
    // The list grows while it is gone through.
    for (const thread of threads)
      for (const { threadId } of thread.view().children) {
        const child = await system.thread(threadId);
        if (child) threads.push(child);
      }
    return threads;
  };

/**
 * Resolves once the thread and those below it are at rest and `holds` of each, or `signal` aborts. What was accepted before
 * the call counts: a thread that has yet to take it up is not at rest.
 */
export const untilRest = async (
  { thread, family }: { readonly thread: Thread; readonly family: Family },
  holds: (view: ThreadView) => boolean,
  signal: AbortSignal,
): Promise<void> => {
  const stopped = fromEvent(signal, "abort");
  while (!signal.aborted) {
    await firstValueFrom(merge(stopped, from(thread.atRest({ tree: true }))));
    if (signal.aborted) return;
    const threads = await family();
    const unfinished = threads.filter((each) => !holds(each.view()));
    if (unfinished.length === 0) return;
    // The first state is the one that was just looked at. A thread that moved on does not end the wait by itself: what it
    // set off may only begin.
    await firstValueFrom(merge(stopped, ...unfinished.map(({ state$ }) => state$.pipe(skip(1)))));
  }
};
