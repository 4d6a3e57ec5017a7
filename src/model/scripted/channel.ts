import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** A stream that is fed from outside. Parts are handed over one by one as they are read, with no timer in between. */
export interface Channel {
  readonly stream: ReadableStream<LanguageModelV4StreamPart>;
  push(part: LanguageModelV4StreamPart): void;
  /** Ends the stream once everything was read. */
  close(): void;
  /** Ends it with an error once everything was read. */
  breakWith(error: unknown): void;
  /** Ends it with an error now; what was not read is lost. */
  abort(error: unknown): void;
}

/** `onGone` is called once: when the reader has everything (`true`), or cancelled (`false`). Not after `abort`. */
export const createChannel = (onGone: (drained: boolean) => void): Channel => {
  const parts: LanguageModelV4StreamPart[] = [];
  let read = 0;
  let end: "open" | "closed" | { readonly error: unknown } | "over" = "open";
  let waiting = false;
  let controller!: ReadableStreamDefaultController<LanguageModelV4StreamPart>;

  /** Called whenever there may be something for a reader that waits. */
  const serve = () => {
    if (!waiting || end === "over") return;
    const part = parts[read];
    if (part) {
      waiting = false;
      read += 1;
      controller.enqueue(part);
    } else if (end !== "open") {
      if (end === "closed") controller.close();
      else controller.error(end.error);
      end = "over";
      onGone(true);
    }
  };

  const stream = new ReadableStream<LanguageModelV4StreamPart>(
    {
      start: (given) => {
        controller = given;
      },
      pull: () => {
        waiting = true;
        serve();
      },
      cancel: () => {
        if (end === "over") return;
        end = "over";
        onGone(false);
      },
    },
    { highWaterMark: 0 },
  );

  return {
    stream,
    push: (part) => {
      parts.push(part);
      serve();
    },
    close: () => {
      if (end === "open") end = "closed";
      serve();
    },
    breakWith: (error) => {
      if (end === "open") end = { error };
      serve();
    },
    abort: (error) => {
      if (end === "over") return;
      end = "over";
      controller.error(error);
    },
  };
};
