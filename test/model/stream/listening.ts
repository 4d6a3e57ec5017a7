import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { createActor, sendTo, setup } from "xstate";
import type { StreamEvent } from "../../../machines/round/events.ts";
import type { StreamInput } from "../../../machines/round/machine.ts";
import type { Delta } from "../../../src/model/stream/display.ts";
import { requestSlots } from "../../../src/model/stream/slots.ts";
import { createStream, type ModelRequest, type StreamDependencies } from "../../../src/model/stream/stream.ts";
import { settle, virtualClock } from "../../support/virtual-clock.ts";
import { judge, type Part } from "./reading.ts";

/** One answer of a model, written by hand while it is read. */
export class Answer {
  readonly stream: ReadableStream<Part>;
  /** The reader does not want the rest. */
  isCancelled = false;
  #controller!: ReadableStreamDefaultController<Part>;

  constructor() {
    this.stream = new ReadableStream<Part>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.isCancelled = true;
      },
    });
  }

  async write(...parts: readonly Part[]): Promise<void> {
    for (const part of parts) this.#controller.enqueue(part);
    await settle();
  }

  async close(): Promise<void> {
    this.#controller.close();
    await settle();
  }

  async error(error: unknown): Promise<void> {
    this.#controller.error(error);
    await settle();
  }
}

type DoStream = (options: LanguageModelV4CallOptions) => Promise<{ stream: ReadableStream<Part> }>;

/** A model of which only `doStream` is used. */
export const modelOf = (doStream: DoStream): LanguageModelV4 => ({
  specificationVersion: "v4",
  provider: "fake",
  modelId: "m-1",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("only streams are asked for")),
  doStream: doStream as LanguageModelV4["doStream"],
});

/** A try that is listened to, beside a clock that somebody turns. */
export class Listening {
  readonly clock = virtualClock(1_000);
  readonly answer = new Answer();
  readonly heard: StreamEvent[] = [];
  readonly deltas: Delta[] = [];
  readonly calls: LanguageModelV4CallOptions[] = [];
  readonly slots: NonNullable<StreamDependencies["slots"]>;
  readonly #parent: { send(event: { type: "stop" }): void; stop(): unknown };

  constructor({
    doStream = async () => ({ stream: this.answer.stream }),
    slots = requestSlots(32),
    request = {},
    ...more
  }: { doStream?: DoStream; request?: Partial<ModelRequest> | (() => never) } & Partial<
    Omit<StreamDependencies, "request">
  > = {}) {
    this.slots = slots;
    const model = modelOf((options) => {
      this.calls.push(options);
      return doStream(options);
    });
    const stream = createStream({
      clock: this.clock,
      random: () => 0.25,
      slots,
      request: (input) => ({
        model,
        options: { prompt: [{ role: "system", content: `try ${input.attempt}` }] },
        keepUnsignedReasoning: false,
        judge,
        publish: (delta) => this.deltas.push(delta),
        ...(typeof request === "function" ? request() : request),
      }),
      ...more,
    });
    const input: StreamInput = { request: null, attempt: 1, silence: 60_000 };
    const parent = setup({
      types: { events: {} as StreamEvent | { type: "stop" } },
      actors: { stream },
      actions: { keep: (_, { event }: { event: StreamEvent }) => this.heard.push(event) },
    }).createMachine({
      invoke: { id: "stream", src: "stream", input },
      on: {
        stop: { actions: sendTo("stream", { type: "stream.stop" }) },
        "*": { actions: { type: "keep", params: ({ event }) => ({ event: event as StreamEvent }) } },
      },
    });
    this.#parent = createActor(parent).start();
  }

  get ends(): readonly StreamEvent[] {
    return this.heard.filter(({ type }) => type !== "block.ended");
  }

  get signal(): AbortSignal | undefined {
    return this.calls[0]?.abortSignal;
  }

  /** The round tells the stream to stop. */
  async stop(): Promise<void> {
    this.#parent.send({ type: "stop" });
    await settle();
  }

  /** The round itself is stopped, and the stream with it. */
  async vanish(): Promise<void> {
    this.#parent.stop();
    await settle();
  }
}
