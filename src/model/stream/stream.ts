import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { fromCallback } from "xstate";
import type { BrokenTry, StreamCommand, StreamEvent } from "../../../machines/round/events.ts";
import type { StreamInput } from "../../../machines/round/machine.ts";
import type { Clock } from "../../clock.ts";
import { TurnTooLongError } from "../../errors.ts";
import { type Logger, silentLogger } from "../../logger.ts";
import { showsEventsAsCalls } from "../../prompt/pair.ts";
import { modelName } from "../model.ts";
import { type Price, priced } from "../prices.ts";
import { BlockReader, type JudgedCall } from "./blocks.ts";
import type { Delta } from "./display.ts";
import { droppedMessage, type EndMark, endingOf, usageOf } from "./ending.ts";
import { type FailureNews, isPage, newsOf, ownFailure, pageNews } from "./failure.ts";
import type { RequestSlots } from "./slots.ts";

/** One request: to which model, with what, and who judges and watches. */
export interface ModelRequest {
  readonly model: LanguageModelV4;
  readonly options: Pick<LanguageModelV4CallOptions, "prompt"> & Partial<LanguageModelV4CallOptions>;
  readonly keepUnsignedReasoning: boolean;
  readonly judge: (name: string, rawArguments: string) => JudgedCall;
  readonly publish: (delta: Delta) => void;
  /** What its tokens cost; undefined where nobody said. */
  readonly price?: Price | undefined;
  /** Called when the end mark of an answer comes: the model takes requests like this one. */
  readonly onAnswered?: () => void;
}

export interface StreamDependencies {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly slots: RequestSlots;
  /** Builds the request of a try; called once for each, before it waits for its slot. */
  readonly request: (input: StreamInput) => ModelRequest;
  /** Told what a provider warns of, as debug. Default: nobody. */
  readonly logger?: Logger;
}

/**
 * One try of a request against a model. It tells the round whole blocks and how the try ended, publishes deltas to who
 * watches, and closes the request when it is told to stop or its actor is stopped. After its last event it says nothing
 * and holds nothing: neither a slot nor a timer nor the connection, whatever the model does with its signal.
 */
export const createStream = ({ clock, random, slots, request, logger = silentLogger }: StreamDependencies) =>
  fromCallback<StreamCommand, StreamInput>(({ input, sendBack, receive }) => {
    let asked: ModelRequest;
    try {
      asked = request(input);
    } catch (error) {
      const news = ownFailure("The request to the model could not be built", error);
      logger.error({ error }, news.message);
      sendBack({ type: "stream.failed", ...news, jitter: random(), visible: "", model: "", at: clock.now() });
      return;
    }
    const model = modelName(asked.model);
    const controller = new AbortController();
    let over = false;
    /** The stream was read to its end mark: there is no request left to abort. */
    let complete = false;
    /** The provider has begun to answer. */
    let isOpen = false;
    let silence: unknown;
    let heard = 0;
    let cancel = (): void => {};
    let release = (): void => {};

    const reader = new BlockReader({
      judge: asked.judge,
      keepUnsignedReasoning: asked.keepUnsignedReasoning,
      publish: (delta) => asked.publish(delta),
      onBlock: (block) => sendBack({ type: "block.ended", block } satisfies StreamEvent),
    });

    const close = (): void => {
      clock.clearTimeout(silence);
      cancel();
      if (!complete) controller.abort();
      release();
    };
    const end = (event: StreamEvent): void => {
      over = true;
      sendBack(event);
      close();
    };
    const breakOff = (type: "stream.failed" | "stream.dropped" | "stream.stalled", news: FailureNews): void => {
      if (over) return;
      const eventCalls = news.refused === "content" && showsEventsAsCalls(asked.options.prompt);
      const broken: BrokenTry = {
        ...news,
        ...(eventCalls && { eventCalls }),
        jitter: random(),
        visible: reader.abandon(),
        model,
        at: clock.now(),
      };
      end({ type, ...broken });
    };
    const stop = (): void => {
      if (!over) end({ type: "stream.stopped", visible: reader.abandon(), model, at: clock.now() });
    };

    /** One timer for the whole stream, set again for what is left of the silence that is allowed. */
    const watch = (left: number): void => {
      silence = clock.setTimeout(() => {
        const quiet = clock.now() - heard;
        if (quiet < input.silence) return watch(input.silence - quiet);
        const message = `The model was silent for ${input.silence / 1_000} s.`;
        breakOff("stream.stalled", { retryable: true, message });
      }, left);
    };

    const finish = (mark: EndMark): void => {
      const ending = endingOf(mark);
      if ("broken" in ending) {
        breakOff(ending.broken, { retryable: true, message: ending.message });
        return;
      }
      const usage = priced(usageOf(mark.usage), asked.price);
      reader.finish();
      complete = true;
      asked.onAnswered?.();
      end({ type: "stream.ended", ...ending, usage, model, at: clock.now() });
    };

    /** Takes one part; what goes wrong here would go wrong again. */
    const take = (part: LanguageModelV4StreamPart): void => {
      try {
        if (part.type === "finish") finish(part);
        else reader.read(part);
      } catch (error) {
        const isTooLong = error instanceof TurnTooLongError;
        const news = isTooLong
          ? { retryable: false, message: error.message }
          : ownFailure("The model's answer could not be read", error);
        if (!isTooLong) logger.error({ model, error }, news.message);
        breakOff("stream.failed", news);
      }
    };

    const read = async (): Promise<void> => {
      release = await slots.take(controller.signal);
      if (over) return release();
      heard = clock.now();
      watch(input.silence);
      const { stream, response } = await asked.model.doStream({ ...asked.options, abortSignal: controller.signal });
      isOpen = true;
      const parts = stream.getReader();
      cancel = () => void parts.cancel().catch(() => {});
      if (over) return cancel();
      if (isPage(response?.headers)) return breakOff("stream.failed", pageNews);
      while (!over) {
        const { done, value: part } = await parts.read();
        if (over) return;
        if (done) return breakOff("stream.dropped", { retryable: true, message: droppedMessage });
        heard = clock.now();
        if (part.type === "error") return breakOff("stream.failed", newsOf(part.error, heard, isOpen));
        if (part.type === "stream-start" && part.warnings.length > 0)
          logger.debug({ model, warnings: part.warnings }, "the model's provider warns of the request");
        take(part);
      }
    };

    receive(stop);
    read().catch((error) => breakOff("stream.failed", newsOf(error, clock.now(), isOpen)));
    return () => {
      if (!over) reader.close();
      over = true;
      close();
    };
  });
