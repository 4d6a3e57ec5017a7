import type { CallId } from "../../machines/history/ids.ts";
import type { Subscription } from "../../machines/thread/commit.ts";
import { type HandedCall, type LiveCall, outcomeOf, prepared, settled } from "./live-call.ts";
import { drop, isEventSource, pump, sourceIdOf, tellEnd } from "./producer.ts";
import { errorResult } from "./result.ts";
import type { EventSourceOf, Tool } from "./tool.ts";

type Of<F extends Tool["form"]> = Extract<Tool, { form: F }>;

/** Why a process that does not stay cannot follow a producer, and what works there. */
export const neverFollowed = (name: string): string =>
  `the tool ${name} follows a producer with subscribe, and in step mode no process stays to follow it. Give it dispatch, and send its confirmation and its events by hand (resultFor with subscription: true, then eventFor).`;

/** What `subscribe` answered, or why it is no answer. */
const producerOf = (
  value: unknown,
): { readonly started: unknown; readonly events: EventSourceOf<unknown> } | undefined =>
  typeof value === "object" && value !== null && "started" in value && "events" in value && isEventSource(value.events)
    ? { started: value.started, events: value.events }
    : undefined;

const run = async (live: LiveCall, tool: Of<"run">, args: unknown): Promise<void> => {
  const outcome = await settled(() => tool.run(args, live.toolCall));
  if (live.signal.aborted) return;
  await live.answer("run", { origin: "tool", ...outcomeOf(live, outcome) });
};

/** True when somebody delivers the result later: the call stays, so that it can be aborted. */
const dispatch = async (
  live: LiveCall,
  tool: Of<"dispatch">,
  args: unknown,
  acknowledged: () => void,
): Promise<boolean> => {
  const outcome = await settled(() => tool.dispatch(args, live.toolCall));
  if (live.signal.aborted) return false;
  if (!outcome.threw) {
    acknowledged();
    return true;
  }
  const failed = live.failed(outcome.error);
  await live.answer("dispatch", { ...failed, origin: failed.origin === "tool" ? "dispatch_failed" : failed.origin });
  return false;
};

/**
 * The call's events carry ids that begin with 1: a producer that is started again because its start was never confirmed
 * has sent none, since events are sent after the confirmation is in the history.
 */
const subscribe = async (live: LiveCall, tool: Of<"subscribe">, args: unknown): Promise<void> => {
  if (!live.stays) {
    const text = `NOT executed: ${neverFollowed(tool.name)}`;
    await live.answer("hand-over", { ...errorResult(text), origin: "dispatch_failed" });
    return;
  }
  const outcome = await settled(() => tool.subscribe(args, live.toolCall));
  const producer = outcome.threw ? undefined : producerOf(outcome.value);
  if (!producer) {
    if (live.signal.aborted) return;
    const wrong = errorResult(`The tool ${tool.name} did not return { started, events } from subscribe.`);
    const isError = outcome.threw || outcome.value instanceof Error;
    await live.answer("subscribe", { origin: "tool", ...(isError ? outcomeOf(live, outcome) : wrong) });
    return;
  }
  if (await confirms(live, producer.started)) await pump(live, producer.events, 1);
  else drop(live, producer.events);
};

/** Whether the call is a subscription now, whose events may come. False as soon as it was stopped. */
const confirms = async (live: LiveCall, said: unknown): Promise<boolean> => {
  const started = await Promise.race([settled(() => said), live.stopped]);
  if (!started || live.signal.aborted) return false;
  const result = outcomeOf(live, started);
  const subscription = result.error ? {} : { subscription: true as const };
  const isSent = await live.answer("subscribe", { origin: "tool", ...result, ...subscription });
  if (result.error || !isSent) return false;
  await Promise.race([live.listening, live.stopped]);
  return !live.signal.aborted;
};

/**
 * Starts a call's tool at once and follows it. Resolves to true when the call goes on without this process doing
 * anything, to false when it is over. Never rejects for what a tool does.
 */
export const startTool = async (
  handed: HandedCall,
  live: LiveCall,
  acknowledged: (callId: CallId) => void,
): Promise<boolean> => {
  const ready = prepared(handed);
  if (!ready.ok) {
    await live.answer("hand-over", { ...ready.result, origin: "dispatch_failed" });
    return false;
  }
  const { tool, args } = ready;
  switch (tool.form) {
    case "run":
      await run(live, tool, args);
      return false;
    case "dispatch":
      return dispatch(live, tool, args, () => acknowledged(live.callId));
    case "subscribe":
      await subscribe(live, tool, args);
      return false;
    default: {
      const text = `NOT executed: the tool ${tool.name} runs ${tool.form} now, which it did not when it was called.`;
      await live.answer("hand-over", { ...errorResult(text), origin: "dispatch_failed" });
      return false;
    }
  }
};

/**
 * Opens a subscription again whose producer ended with its process, and follows it. `start` sets the ids of its events
 * apart from those of earlier starts. Where that cannot be done, a last event says why: a subscription that nobody feeds
 * would be waited for in vain (R9).
 */
export const resumeProducer = async (
  live: LiveCall,
  tool: Tool | undefined,
  { args, lastEventId }: Subscription,
  start: number,
): Promise<void> => {
  const parsed = tool?.form === "subscribe" && tool.resume ? tool.parse(args) : undefined;
  if (tool?.form !== "subscribe" || !tool.resume || !parsed?.ok)
    return tellEnd(live, start, "the process that followed its source ended.");
  const { resume } = tool;
  const last = lastEventId === undefined ? undefined : sourceIdOf(lastEventId);
  const outcome = await settled(() => resume(parsed.args, live.toolCall, last));
  const producer = outcome.threw ? undefined : producerOf(outcome.value);
  if (live.signal.aborted) return producer && drop(live, producer.events);
  if (outcome.threw) live.failed(outcome.error);
  if (!producer) return tellEnd(live, start, "its source could not be opened again after a restart.");
  await pump(live, producer.events, start);
};
