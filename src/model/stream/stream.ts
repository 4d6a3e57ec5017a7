import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { fromCallback } from "xstate";
import type { StreamCommand, StreamEvent } from "../../../machines/round/events.ts";
import type { StreamInput } from "../../../machines/round/machine.ts";
import type { Usage } from "../../../machines/round/turn.ts";
import type { Clock } from "../../clock.ts";
import { modelName } from "../model.ts";
import { BlockReader, type Delta, type JudgedCall } from "./blocks.ts";
import { newsOf } from "./retry-after.ts";
import type { RequestSlots } from "./slots.ts";

/** One request: to which model, with what, and who judges and watches. */
export interface ModelRequest {
  readonly model: LanguageModelV4;
  readonly options: Pick<LanguageModelV4CallOptions, "prompt"> & Partial<LanguageModelV4CallOptions>;
  readonly keepUnsignedReasoning: boolean;
  readonly judge: (name: string, rawArguments: string) => JudgedCall;
  readonly publish: (delta: Delta) => void;
}

export interface StreamDependencies {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly slots: RequestSlots;
  /** Builds the request of a try; called once for each, right before it goes out. */
  readonly request: (input: StreamInput) => ModelRequest;
}

const outcomes: Partial<Record<LanguageModelV4FinishReason["unified"], "truncated" | "filtered">> = {
  length: "truncated",
  "content-filter": "filtered",
};

export const usageOf = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage => ({
  inputTokens: inputTokens.total ?? 0,
  outputTokens: outputTokens.total ?? 0,
  ...(inputTokens.cacheRead !== undefined && { cachedInputTokens: inputTokens.cacheRead }),
  ...(outputTokens.reasoning !== undefined && { reasoningTokens: outputTokens.reasoning }),
});

/** The stream came to its end without an end mark: the connection broke. */
class DroppedError extends Error {
  override readonly name = "DroppedError";
}

class SilentError extends Error {
  override readonly name = "SilentError";
}

/**
 * One try of a request against a model. It tells the round whole blocks and how the try ended, publishes deltas to who
 * watches, and closes the request when it is told to stop or its actor is stopped. After its last event it says nothing.
 */
export const createStream = ({ clock, random, slots, request }: StreamDependencies) =>
  fromCallback<StreamCommand, StreamInput>(({ input, sendBack, receive }) => {
    const controller = new AbortController();
    const asked = request(input);
    const model = modelName(asked.model);
    let over = false;
    let silence: unknown;
    let usage: Usage | null = null;
    const send = (event: StreamEvent) => sendBack(event);
    const reader = new BlockReader({
      judge: asked.judge,
      keepUnsignedReasoning: asked.keepUnsignedReasoning,
      publish: (delta) => over || asked.publish(delta),
      onBlock: (block) => over || send({ type: "block.ended", block }),
    });

    const end = (event: (visible: string) => StreamEvent): void => {
      if (over) return;
      clock.clearTimeout(silence);
      const visible = reader.abandon();
      over = true;
      send(event(visible));
    };
    const fail = (error: unknown): void => {
      const at = clock.now();
      const news = newsOf(error, at);
      const retryable = news.retryable && !(error instanceof RangeError);
      end((visible) => ({ type: "stream.failed", ...news, retryable, jitter: random(), visible, model, at }));
      controller.abort();
    };
    const listen = (): void => {
      clock.clearTimeout(silence);
      silence = clock.setTimeout(
        () => fail(new SilentError(`it has been silent for ${input.silence} ms.`)),
        input.silence,
      );
    };

    const read = async (): Promise<void> => {
      const release = await slots.take(controller.signal);
      try {
        listen();
        const { stream } = await asked.model.doStream({ ...asked.options, abortSignal: controller.signal });
        const parts = stream.getReader();
        const cancel = () => void parts.cancel().catch(() => {});
        controller.signal.addEventListener("abort", cancel, { once: true });
        try {
          for (;;) {
            const { done, value: part } = await parts.read();
            if (over) return;
            if (done) throw new DroppedError("its stream ended without an end mark.");
            listen();
            if (part.type === "error") throw part.error;
            if (part.type === "finish") {
              usage = usageOf(part.usage);
              const { unified } = part.finishReason;
              if (unified === "error") throw new DroppedError("the provider ended it with an error.");
              reader.finish();
              end(() => ({
                type: "stream.ended",
                outcome: outcomes[unified] ?? "finished",
                usage,
                model,
                at: clock.now(),
              }));
              return;
            }
            reader.read(part);
          }
        } finally {
          controller.signal.removeEventListener("abort", cancel);
          cancel();
        }
      } finally {
        release();
      }
    };

    receive(() => {
      end((visible) => ({ type: "stream.stopped", visible, model, at: clock.now() }));
      controller.abort();
    });
    read().catch((error) => {
      if (!over) fail(error);
    });
    return () => {
      over = true;
      clock.clearTimeout(silence);
      controller.abort();
    };
  });
