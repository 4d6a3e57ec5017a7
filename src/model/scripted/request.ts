import type { LanguageModelV4CallOptions, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import type { ScriptedAnswer, ScriptedChunk, ScriptedEnd, ScriptedFailure, ScriptedUsage } from "./answer.ts";
import { streamOf } from "./answer.ts";
import { type Channel, createChannel } from "./channel.ts";
import { abortError, apiError, refusalError, ScriptError } from "./failure.ts";
import { type PartWriter, partWriter, type WriterOptions } from "./parts.ts";

/** One request to a scripted model, and the hand that answers it. */
export interface ScriptedRequest {
  /** From 1, over the life of the model. */
  readonly ordinal: number;
  readonly options: LanguageModelV4CallOptions;
  readonly prompt: LanguageModelV4CallOptions["prompt"];
  readonly tools: NonNullable<LanguageModelV4CallOptions["tools"]>;
  /** What a strict model refused it for; empty when it was taken. */
  readonly refusals: readonly string[];
  /** Still to be answered, or answered in part. */
  readonly open: boolean;
  /** The asker aborted or cancelled it before it had read everything. */
  readonly aborted: boolean;
  /**
   * Adds chunks, then the end (default `final`). After `open` it goes on where it stopped. False when nobody listens any
   * more; a request that has ended throws ScriptError.
   */
  stream(chunks: readonly ScriptedChunk[], end?: ScriptedEnd, usage?: ScriptedUsage): boolean;
  /** `stream` with a whole answer. */
  answer(answer: ScriptedAnswer): boolean;
  /** `stream` with no more chunks. */
  finish(usage?: ScriptedUsage): boolean;
}

const endMarks = { final: "final", truncated: "length", filtered: "content-filter" } as const;

export class Exchange implements ScriptedRequest {
  readonly options: LanguageModelV4CallOptions;
  readonly refusals: readonly string[];
  /** What `doStream` returns: settled by the first chunks, or by what comes instead of them. */
  readonly response: Promise<LanguageModelV4StreamResult>;
  readonly #settle: PromiseWithResolvers<LanguageModelV4StreamResult>;
  readonly #writerOptions: WriterOptions;
  readonly #onEnd: (request: Exchange) => void;
  #channel: Channel | undefined;
  #writer: PartWriter | undefined;
  #open = true;
  #aborted = false;

  constructor(
    options: LanguageModelV4CallOptions,
    refusals: readonly string[],
    writer: WriterOptions,
    onEnd: (request: Exchange) => void,
  ) {
    this.options = options;
    this.refusals = refusals;
    this.#writerOptions = writer;
    this.#onEnd = onEnd;
    this.#settle = Promise.withResolvers();
    this.response = this.#settle.promise;
    const { abortSignal } = options;
    if (abortSignal?.aborted) this.#abort();
    else if (refusals.length > 0) this.fail(refusalError(refusals));
    else abortSignal?.addEventListener("abort", this.#abort);
  }

  get ordinal() {
    return this.#writerOptions.ordinal;
  }
  get prompt() {
    return this.options.prompt;
  }
  get tools() {
    return this.options.tools ?? [];
  }
  get open() {
    return this.#open;
  }
  get aborted() {
    return this.#aborted;
  }

  stream(chunks: readonly ScriptedChunk[], end: ScriptedEnd = "final", usage?: ScriptedUsage): boolean {
    if (this.#aborted) return false;
    if (!this.#open)
      throw new ScriptError(`Request ${this.ordinal} has ended. Answer the next one: await model.next().`);
    if (typeof end === "object" && "error" in end && this.#failsAtOnce(chunks, end)) {
      this.fail(apiError(end));
      return true;
    }
    const { channel, writer } = this.#start();
    for (const chunk of chunks) writer.write(chunk);
    if (end === "open") return true;
    if (end === "drop") channel.close();
    else if (typeof end === "object" && "error" in end) this.#break(channel, end);
    else {
      writer.finish(typeof end === "object" ? end.finish : endMarks[end], usage);
      channel.close();
    }
    this.#ended();
    return true;
  }

  answer(answer: ScriptedAnswer): boolean {
    const { chunks, end, usage } = streamOf(answer);
    return this.stream(chunks, end, usage);
  }

  finish(usage?: ScriptedUsage): boolean {
    return this.stream([], "final", usage);
  }

  /** Rejects `doStream`, or breaks the stream when there is one. Does nothing to a request that has ended. */
  fail(error: unknown): void {
    if (!this.#open) return;
    if (this.#channel) this.#channel.abort(error);
    else this.#settle.reject(error);
    this.#ended();
    this.#unhook();
  }

  #failsAtOnce(chunks: readonly ScriptedChunk[], { at }: ScriptedFailure): boolean {
    const untouched = !this.#channel && chunks.length === 0;
    if (at === "request" && !untouched)
      throw new ScriptError(`Request ${this.ordinal} streams already: an error can come "part" or "stream" now.`);
    return at === "request" || (at === undefined && untouched);
  }

  #break(channel: Channel, failure: ScriptedFailure): void {
    if (failure.at === "stream") {
      channel.breakWith(apiError(failure));
      return;
    }
    channel.push({ type: "error", error: apiError(failure) });
    channel.close();
  }

  #start(): { channel: Channel; writer: PartWriter } {
    if (this.#channel && this.#writer) return { channel: this.#channel, writer: this.#writer };
    const channel = createChannel((drained) => {
      if (!drained) this.#gone();
      this.#unhook();
    });
    const writer = partWriter(channel.push, this.#writerOptions);
    this.#channel = channel;
    this.#writer = writer;
    writer.start();
    this.#settle.resolve({ stream: channel.stream });
    return { channel, writer };
  }

  readonly #abort = (): void => {
    const error = abortError(this.options.abortSignal);
    this.#gone();
    if (this.#channel) this.#channel.abort(error);
    else this.#settle.reject(error);
    this.#unhook();
  };

  #gone(): void {
    this.#aborted = true;
    this.#ended();
  }

  #ended(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#onEnd(this);
  }

  #unhook(): void {
    this.options.abortSignal?.removeEventListener("abort", this.#abort);
  }
}
