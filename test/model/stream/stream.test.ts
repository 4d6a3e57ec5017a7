import { APICallError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { type Logger, silentLogger } from "../../../src/logger.ts";
import { requestSlots } from "../../../src/model/stream/slots.ts";
import { settle } from "../../support/virtual-clock.ts";
import { Answer, Listening } from "./listening.ts";
import { call, finish, type Part, reasoning, text } from "./reading.ts";

const half: Part[] = [
  { type: "text-start", id: "h" },
  { type: "text-delta", id: "h", delta: "and ha" },
];
const thinks: Part[] = [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: "hm" },
];
const open = async (...parts: readonly Part[]) => {
  const listening = new Listening();
  await listening.answer.write(...parts);
  return listening;
};

const openWith = async (given: ConstructorParameters<typeof Listening>[0]) => {
  const listening = new Listening(given);
  await settle();
  return listening;
};

describe("the stream of a try", () => {
  it("asks the model with the request, and a signal to end it", async () => {
    const { calls } = await open();
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ prompt: [{ role: "system", content: "try 1" }] });
    expect(calls[0]?.abortSignal?.aborted).toBe(false);
  });

  it("tells the round whole blocks and the end, and those who watch the deltas", async () => {
    const { heard, deltas } = await open(...reasoning("hm", "s"), ...text("hi"), ...call("add"), finish("tool-calls"));
    expect(heard).toMatchObject([
      { type: "block.ended", block: { type: "reasoning" } },
      { type: "block.ended", block: { type: "text" } },
      { type: "block.ended", block: { type: "call" } },
      {
        type: "stream.ended",
        outcome: "finished",
        usage: { inputTokens: 7, outputTokens: 4, cachedInputTokens: 2, reasoningTokens: 1 },
        model: "fake/m-1",
        at: 1_000,
      },
    ]);
    expect(deltas).toEqual([
      { type: "thinking.started" },
      { type: "thinking.delta", text: "hm" },
      { type: "thinking.ended" },
      { type: "text.delta", text: "hi" },
    ]);
  });

  it.each([
    ["stop", "finished"],
    ["tool-calls", "finished"],
    ["other", "finished"],
    ["length", "truncated"],
    ["content-filter", "filtered"],
  ] as const)("that the provider ended with %s is %s", async (reason, outcome) =>
    expect((await open(finish(reason))).ends).toMatchObject([{ type: "stream.ended", outcome }]),
  );

  it("takes a model that counts nothing", async () => {
    const { usage: _, ...uncounted } = finish() as Extract<Part, { type: "finish" }>;
    expect((await open(uncounted as Part)).ends).toMatchObject([{ type: "stream.ended", usage: null }]);
  });

  it("does not abort a request that ended by itself, and says nothing after its end", async () => {
    const listening = await open(...text("hi"), finish(), ...text("late"));
    await listening.stop();
    await listening.clock.advance(120_000);
    expect(listening.heard.map(({ type }) => type)).toEqual(["block.ended", "stream.ended"]);
    expect(listening.deltas).toEqual([{ type: "text.delta", text: "hi" }]);
    expect(listening.signal?.aborted).toBe(false);
    expect(listening.clock.due).toEqual([]);
  });

  it("passes on what a provider warns of", async () => {
    const lines: object[] = [];
    const logger: Logger = { ...silentLogger, debug: (fields) => lines.push(fields) };
    const warnings = [{ type: "other" as const, message: "no temperature" }];
    const listening = new Listening({ logger });
    await listening.answer.write({ type: "stream-start", warnings });
    expect(lines).toEqual([{ model: "fake/m-1", warnings }]);
  });
});

describe("a stream that breaks", () => {
  it("has dropped when it closes without an end mark", async () => {
    const { answer, heard, deltas } = await open(...text("hi"), ...thinks, ...half);
    await answer.close();
    expect(heard.slice(1)).toEqual([
      {
        type: "stream.dropped",
        retryable: true,
        message: "The model's stream came to its end without an end mark.",
        jitter: 0.25,
        visible: "and ha",
        model: "fake/m-1",
        at: 1_000,
      },
    ]);
    expect(deltas.at(-1)).toEqual({ type: "thinking.ended" });
  });

  it("has dropped when the provider says that it broke off", async () =>
    expect((await open(finish("interrupted"))).ends).toMatchObject([{ type: "stream.dropped", retryable: true }]));

  it("has failed when the provider ends the turn with an error", async () =>
    expect((await open(finish("error", "MALFORMED_FUNCTION_CALL"))).ends).toMatchObject([
      {
        type: "stream.failed",
        retryable: true,
        message: "The model's provider ended the turn with an error (MALFORMED_FUNCTION_CALL).",
      },
    ]));

  it.each<[string, unknown, object]>([
    ["an overload", { type: "overloaded_error", message: "Overloaded" }, { retryable: true }],
    [
      "what the SDK calls fatal",
      new APICallError({ message: "no", url: "u", requestBodyValues: {}, statusCode: 400 }),
      { retryable: false },
    ],
  ])("has failed with %s in the middle of it", async (_, error, news) => {
    const listening = await open(...half, { type: "error", error });
    expect(listening.ends).toMatchObject([{ type: "stream.failed", visible: "and ha", ...news }]);
    expect(listening.answer.isCancelled).toBe(true);
    expect(listening.signal?.aborted).toBe(true);
  });

  it("has failed when its connection does", async () => {
    const listening = await open(...half);
    await listening.answer.error(new TypeError("terminated"));
    expect(listening.ends).toMatchObject([{ type: "stream.failed", retryable: true, visible: "and ha" }]);
  });

  it("has failed when the request does, with the wait that the provider asks for", async () => {
    const responseHeaders = { "retry-after-ms": "1500" };
    const error = new APICallError({
      message: "busy",
      url: "u",
      requestBodyValues: {},
      statusCode: 429,
      responseHeaders,
    });
    const { ends } = await openWith({ doStream: () => Promise.reject(error) });
    expect(ends).toMatchObject([{ type: "stream.failed", retryable: true, retryAfter: 1_500, jitter: 0.25 }]);
  });

  it("has failed for good when its request cannot be built, and the log has the cause", async () => {
    const lines: object[] = [];
    const error = new Error("no such template");
    const { ends, calls } = await openWith({
      request: () => {
        throw error;
      },
      logger: { ...silentLogger, error: (fields) => lines.push(fields) },
    });
    expect(ends).toMatchObject([
      {
        type: "stream.failed",
        retryable: false,
        message: "The request to the model could not be built: no such template.",
        model: "",
      },
    ]);
    expect(calls).toEqual([]);
    expect(lines).toEqual([{ error }]);
  });

  it("has failed for good when what it says cannot be judged, and keeps what was visible", async () => {
    const listening = new Listening({
      request: {
        judge: () => {
          throw new Error("a display that throws");
        },
      },
    });
    await listening.answer.write(...text("hi"), ...call("add"));
    expect(listening.ends).toMatchObject([
      {
        type: "stream.failed",
        retryable: false,
        message: "The model's answer could not be read: a display that throws.",
      },
    ]);
    expect(listening.signal?.aborted).toBe(true);
  });

  it("has failed for good when its turn is longer than any may be", async () => {
    const chunk: Part = { type: "text-delta", id: "h", delta: "x".repeat(4_000_000) };
    const listening = await open(chunk, chunk, chunk);
    expect(listening.ends).toMatchObject([{ type: "stream.failed", retryable: false }]);
    expect(listening.ends[0]).toHaveProperty("message", expect.stringContaining("10000000 characters"));
  });
});

describe("a silent stream", () => {
  it("has stalled after the limit, and its request is closed", async () => {
    const listening = await open(...half);
    await listening.clock.advance(59_999);
    expect(listening.ends).toEqual([]);
    await listening.clock.advance(1);
    expect(listening.ends).toMatchObject([
      { type: "stream.stalled", visible: "and ha", message: "The model was silent for 60 s.", at: 61_000 },
    ]);
    expect(listening.answer.isCancelled).toBe(true);
    expect(listening.signal?.aborted).toBe(true);
  });

  it("has the whole limit again after each sign, a ping included", async () => {
    const listening = await open(...half);
    for (let n = 0; n < 5; n++) {
      await listening.clock.advance(59_999);
      await listening.answer.write({ type: "ping" });
    }
    expect(listening.ends).toEqual([]);
    await listening.clock.advance(60_000);
    expect(listening.ends).toMatchObject([{ type: "stream.stalled" }]);
  });

  it("has stalled also when its request never answers, whatever it does with its signal", async () => {
    const listening = await openWith({ doStream: () => new Promise(() => {}) });
    await listening.clock.advance(60_000);
    expect(listening.ends).toMatchObject([{ type: "stream.stalled" }]);
  });

  it("is not one that waits for its slot", async () => {
    const slots = requestSlots(1);
    const release = await slots.take(new AbortController().signal);
    const listening = await openWith({ slots });
    await listening.clock.advance(600_000);
    expect([listening.ends, listening.calls]).toEqual([[], []]);
    release();
    await settle();
    expect(listening.calls).toHaveLength(1);
  });
});

describe("a stream that is told to stop", () => {
  it("answers with the visible text of the block that was open, and closes its request", async () => {
    const listening = await open(...text("hi"), ...thinks, ...half);
    await listening.stop();
    expect(listening.heard).toMatchObject([
      { type: "block.ended", block: { text: "hi" } },
      { type: "stream.stopped", visible: "and ha", model: "fake/m-1", at: 1_000 },
    ]);
    expect(listening.deltas.at(-1)).toEqual({ type: "thinking.ended" });
    expect(listening.answer.isCancelled).toBe(true);
    expect(listening.signal?.aborted).toBe(true);
    expect(listening.clock.due).toEqual([]);
  });

  it("keeps a whole call behind text that its provider has not ended yet", async () => {
    const listening = await open(...half, ...call("add"), { type: "tool-input-start", id: "x", toolName: "half" });
    expect(listening.heard).toEqual([]);
    await listening.stop();
    expect(listening.heard).toMatchObject([
      { type: "block.ended", block: { type: "text", text: "and ha" } },
      { type: "block.ended", block: { type: "call", name: "add" } },
      { type: "stream.stopped", visible: "" },
    ]);
  });

  it("says nothing more, whatever still comes", async () => {
    const answer = new Answer();
    const listening = await openWith({ doStream: async () => ({ stream: answer.stream }) });
    await listening.stop();
    await listening.stop();
    const [heard, deltas] = [listening.heard.length, listening.deltas.length];
    await answer.write(...text("late"), finish()).catch(() => {});
    await listening.clock.advance(120_000);
    expect([listening.heard.length, listening.deltas.length]).toEqual([heard, deltas]);
  });

  it("shows nothing of a part that arrives at the same moment", async () => {
    const listening = await open(...half);
    const writing = listening.answer.write({ type: "text-delta", id: "h", delta: "lf" });
    await Promise.all([listening.stop(), writing]);
    expect(listening.ends).toMatchObject([{ type: "stream.stopped", visible: "and ha" }]);
    expect(listening.deltas).toEqual([{ type: "text.delta", text: "and ha" }]);
  });

  it("answers at once while it waits for a slot, and asks nothing", async () => {
    const slots = requestSlots(1);
    const release = await slots.take(new AbortController().signal);
    const listening = await openWith({ slots });
    await listening.stop();
    expect(listening.ends).toMatchObject([{ type: "stream.stopped", visible: "" }]);
    release();
    await settle();
    expect(listening.calls).toEqual([]);
  });

  it("asks nothing when its slot comes at the same moment", async () => {
    const slots = requestSlots(1);
    const release = await slots.take(new AbortController().signal);
    const listening = await openWith({ slots });
    release();
    await listening.stop();
    expect(listening.calls).toEqual([]);
    expect(listening.clock.due).toEqual([]);
    (await slots.take(new AbortController().signal))();
  });

  it("cancels an answer that comes only then", async () => {
    const answer = new Answer();
    let give = (_: { stream: ReadableStream<Part> }) => {};
    const listening = await openWith({ doStream: () => new Promise((resolve) => (give = resolve)) });
    await listening.stop();
    give({ stream: answer.stream });
    await settle();
    expect(answer.isCancelled).toBe(true);
  });

  it("takes the error of its own abort as no failure", async () => {
    const listening = await openWith({
      doStream: ({ abortSignal }) =>
        new Promise((_, reject) => abortSignal?.addEventListener("abort", () => reject(abortSignal.reason))),
    });
    await listening.stop();
    expect(listening.ends).toMatchObject([{ type: "stream.stopped" }]);
  });
});

describe("a stream whose round is gone", () => {
  it("closes its request, ends the thinking it showed, and tells nobody else", async () => {
    const listening = await open(...thinks);
    await listening.vanish();
    expect(listening.heard).toEqual([]);
    expect(listening.deltas.at(-1)).toEqual({ type: "thinking.ended" });
    expect(listening.answer.isCancelled).toBe(true);
    expect(listening.signal?.aborted).toBe(true);
    expect(listening.clock.due).toEqual([]);
  });
});

describe("the slot of a request", () => {
  const isFree = async (slots: ReturnType<typeof requestSlots>) => {
    const controller = new AbortController();
    const given = slots.take(controller.signal).then(
      (release) => {
        release();
        return true;
      },
      () => false,
    );
    await settle();
    controller.abort();
    return given;
  };

  it.each<[string, (listening: Listening) => Promise<void>]>([
    ["its end", ({ answer }) => answer.write(finish())],
    ["a drop", ({ answer }) => answer.close()],
    ["a stall", ({ clock }) => clock.advance(60_000)],
    ["being told to stop", (listening) => listening.stop()],
    ["the end of its round", (listening) => listening.vanish()],
  ])("is given back with %s", async (_, happens) => {
    const slots = requestSlots(1);
    const listening = await openWith({ slots });
    await happens(listening);
    expect(await isFree(slots)).toBe(true);
  });

  it("is given back also by a model that ignores its signal", async () => {
    const slots = requestSlots(1);
    const listening = await openWith({ slots, doStream: () => new Promise(() => {}) });
    expect(await isFree(slots)).toBe(false);
    await listening.stop();
    expect(listening.calls).toHaveLength(1);
    expect(await isFree(slots)).toBe(true);
  });
});
