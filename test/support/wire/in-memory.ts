import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Format } from "./format.ts";

/** How the bytes of an answer come: the pieces, then the end, an error of the network, or nothing more. */
export interface Bytes {
  readonly chunks: readonly Uint8Array[];
  readonly ending?: "end" | "drop";
}

/**
 * A provider's real package that reads bytes which no socket carried: for tests that cut an answer at each of a thousand
 * places. Everything above `fetch` is as it is over a wire.
 */
export const modelOfBytes = (format: Format, next: () => Bytes): LanguageModelV4 =>
  format.model({
    url: "http://127.0.0.1:9",
    fetch: async () => {
      const { chunks, ending = "end" } = next();
      const rest = chunks.filter(({ length }) => length > 0).values();
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const { done, value } = rest.next();
          if (!done) controller.enqueue(value);
          else if (ending === "end") controller.close();
          else controller.error(new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } }));
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
