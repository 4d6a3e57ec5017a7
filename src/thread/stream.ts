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
  const nameOf = (threadId: ThreadId, summarises: true | undefined): ThreadId =>
    summarises ? (`${threadId}#compaction` as ThreadId) : threadId;
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
      const { threadId, entries, causes, summarises } = request as RoundRequest;
      const before = asked.get(request as RoundRequest);
      if (before) return onceMore(before, nameOf(threadId, summarises), entries, eventsAs);
      const resident = residentOf(threadId);
      const { model, options, toolset, instructions } = resident.configured;
      const { conversation } = resident;
      const prompt = summarises ? conversation.summaryPrompt(instructions) : conversation.prompt(instructions, entries);
      if (!summarises) resident.publish({ type: "round.started", inputs: causes });
      env.hooks.onRequest?.(nameOf(threadId, summarises), prompt, entries);
      const once: ModelRequest = {
        model,
        options: {
          ...options.settings,
          prompt,
          // Providers want to know the tools that the conversation names, also where none is to be called.
          ...(toolset.specs.length > 0 && { tools: [...toolset.specs] }),
          ...(toolset.specs.length > 0 && summarises && { toolChoice: { type: "none" as const } }),
        },
        keepUnsignedReasoning: options.keepUnsignedReasoning,
        judge: toolset.judge,
        // Nobody reads along: a summary is no part of the conversation.
        publish: summarises ? () => {} : (delta) => resident.publish(delta),
        price: env.priceOf(model),
      };
      asked.set(request as RoundRequest, once);
      return once;
    },
  });
};
