import type { ThreadId } from "../../machines/history/ids.ts";
import type { RoundRequest } from "../../machines/thread/effect.ts";
import { createStream } from "../model/stream/stream.ts";
import type { ThreadEnvironment } from "./environment.ts";
import type { Resident } from "./resident.ts";

/** The stream of a thread's round: its request is the conversation with the entries that are not committed yet. */
export const streamOf = (env: ThreadEnvironment, residentOf: (threadId: ThreadId) => Resident) =>
  createStream({
    clock: env.clock,
    random: env.random,
    slots: env.slots,
    logger: env.logger,
    request({ request, attempt }) {
      const { threadId, entries, causes } = request as RoundRequest;
      const resident = residentOf(threadId);
      const { spec } = resident.loaded;
      const { model, options } = env.model();
      const toolset = env.toolset(spec);
      const prompt = resident.conversation.prompt(env.instructions(spec), entries);
      if (attempt === 1) resident.publish({ type: "round.started", inputs: causes });
      env.hooks.onRequest?.(threadId, prompt, entries);
      return {
        model,
        options: { prompt, ...(toolset.specs.length > 0 && { tools: [...toolset.specs] }) },
        keepUnsignedReasoning: options.keepUnsignedReasoning,
        judge: toolset.judge,
        publish: (delta) => resident.publish(delta),
      };
    },
  });
