import type { ThreadId } from "../../machines/history/ids.ts";
import type { RoundRequest } from "../../machines/thread/effect.ts";
import { createStream, type ModelRequest } from "../model/stream/stream.ts";
import { withEventsAsText } from "../prompt/pair.ts";
import type { ThreadEnvironment } from "./environment.ts";
import type { Resident } from "./resident.ts";

/** The stream of a thread's round: its request is the conversation with the entries that are not committed yet. */
export const streamOf = (env: ThreadEnvironment, residentOf: (threadId: ThreadId) => Resident) => {
  /** A try that follows another asks the same of the same model. */
  const asked = new WeakMap<object, ModelRequest>();
  const onceMore = (
    before: ModelRequest,
    threadId: ThreadId,
    entries: RoundRequest["entries"],
    eventsAs: "text" | undefined,
  ): ModelRequest => {
    const prompt = eventsAs === "text" ? withEventsAsText(before.options.prompt) : before.options.prompt;
    env.hooks.onRequest?.(threadId, prompt, entries);
    if (eventsAs === undefined) return before;
    return { ...before, options: { ...before.options, prompt }, onAnswered: () => env.readsEventsAsText(before.model) };
  };
  return createStream({
    clock: env.clock,
    random: env.random,
    slots: env.slots,
    logger: env.logger,
    request({ request, eventsAs }) {
      const { threadId, entries, causes } = request as RoundRequest;
      const before = asked.get(request as RoundRequest);
      if (before) return onceMore(before, threadId, entries, eventsAs);
      const resident = residentOf(threadId);
      const { model, options, toolset, instructions } = resident.configured;
      const prompt = resident.conversation.prompt(instructions, entries);
      resident.publish({ type: "round.started", inputs: causes });
      env.hooks.onRequest?.(threadId, prompt, entries);
      const once: ModelRequest = {
        model,
        options: { ...options.settings, prompt, ...(toolset.specs.length > 0 && { tools: [...toolset.specs] }) },
        keepUnsignedReasoning: options.keepUnsignedReasoning,
        judge: toolset.judge,
        publish: (delta) => resident.publish(delta),
        price: env.priceOf(model),
      };
      asked.set(request as RoundRequest, once);
      return once;
    },
  });
};
