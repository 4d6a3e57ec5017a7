import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { JsonObject } from "../../../machines/history/json.ts";
import type { Block, Verdict } from "../../../machines/round/turn.ts";

/** What the thread's tools say of a call as the model wrote it. */
export interface JudgedCall {
  readonly args: JsonObject;
  readonly raw?: string;
  readonly display?: string;
  readonly verdict: Verdict;
}

/** Shown to who watches, and never stored. */
export type Delta =
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "thinking.started" }
  | { readonly type: "thinking.delta"; readonly text: string }
  | { readonly type: "thinking.ended" };

export interface BlockReaderOptions {
  readonly judge: (name: string, rawArguments: string) => JudgedCall;
  readonly publish: (delta: Delta) => void;
  readonly keepUnsignedReasoning: boolean;
  /** A block is whole. Blocks come in the order the model began them. */
  readonly onBlock: (block: Block) => void;
}

/** Characters of one turn; a stream that goes on beyond is a fault of the provider. */
export const turnLimit = 10_000_000;

type Metadata = Record<string, JsonObject>;
interface Open {
  readonly kind: "text" | "reasoning" | "call";
  text: string;
  metadata: Metadata | undefined;
  block: Block | undefined;
}

const merged = (a: Metadata | undefined, b: unknown): Metadata | undefined =>
  b === undefined ? a : { ...a, ...(b as Metadata) };

/**
 * Turns the parts of a stream into whole blocks. Parts of parallel blocks may interleave: each block is handed on once it
 * and all that began before it are whole.
 */
export class BlockReader {
  readonly #options: BlockReaderOptions;
  /** In the order they began. */
  readonly #open = new Map<string, Open>();
  #size = 0;
  #thinking = 0;
  #count = 0;

  constructor(options: BlockReaderOptions) {
    this.#options = options;
  }

  /** Throws RangeError when the turn is longer than any turn may be. */
  read(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
        this.#begin(`text ${part.id}`, "text", part.providerMetadata);
        break;
      case "text-delta":
        this.#text(part);
        break;
      case "text-end":
        this.#endText(`text ${part.id}`, part.providerMetadata);
        break;
      case "reasoning-start":
        this.#openAt(`reasoning ${part.id}`, "reasoning").metadata = part.providerMetadata as Metadata | undefined;
        break;
      case "reasoning-delta":
        this.#reasoning(part);
        break;
      case "reasoning-end":
        this.#endReasoning(`reasoning ${part.id}`, part.providerMetadata);
        break;
      case "tool-input-start":
        if (!part.providerExecuted) this.#begin(`call ${part.id}`, "call", part.providerMetadata);
        break;
      case "tool-input-delta":
        this.#grow(part.delta);
        break;
      case "tool-call":
        if (part.providerExecuted) this.#provided(part);
        else this.#call(part);
        break;
      case "tool-result":
      case "file":
      case "reasoning-file":
      case "custom":
        this.#provided(part);
        break;
    }
  }

  /** Ends what is open, as a stream does that closes its turn without closing its blocks. */
  finish(): void {
    for (const [key, open] of [...this.#open]) {
      if (open.block) continue;
      if (open.kind === "text") this.#endText(key, undefined);
      else if (open.kind === "reasoning") this.#endReasoning(key, undefined);
      else this.#open.delete(key);
    }
    this.#handOn();
  }

  /** Ends the display of thinking; returns the visible text of blocks that were not handed on. */
  abandon(): string {
    this.#quiet();
    return [...this.#open.values()]
      .map(({ kind, text }) => (kind === "text" ? text : ""))
      .join("")
      .toWellFormed();
  }

  #begin(key: string, kind: Open["kind"], metadata: unknown): void {
    this.#open.set(key, { kind, text: "", metadata: merged(undefined, metadata), block: undefined });
  }

  #grow(text: string): void {
    this.#size += text.length;
    if (this.#size > turnLimit) throw new RangeError(`The model's turn is longer than ${turnLimit} characters.`);
  }

  #text({ id, delta, providerMetadata }: Extract<LanguageModelV4StreamPart, { type: "text-delta" }>): void {
    this.#grow(delta);
    const open = this.#openAt(`text ${id}`, "text");
    open.text += delta;
    open.metadata = merged(open.metadata, providerMetadata);
    if (delta !== "") this.#options.publish({ type: "text.delta", text: delta });
  }

  #reasoning({ id, delta, providerMetadata }: Extract<LanguageModelV4StreamPart, { type: "reasoning-delta" }>): void {
    this.#grow(delta);
    const open = this.#openAt(`reasoning ${id}`, "reasoning");
    open.text += delta;
    open.metadata = merged(open.metadata, providerMetadata);
    if (delta !== "") this.#options.publish({ type: "thinking.delta", text: delta });
  }

  /** A delta without a start begins its block. */
  #openAt(key: string, kind: Open["kind"]): Open {
    if (!this.#open.has(key)) {
      if (kind === "reasoning" && this.#thinking++ === 0) this.#options.publish({ type: "thinking.started" });
      this.#begin(key, kind, undefined);
    }
    return this.#open.get(key) as Open;
  }

  #endText(key: string, metadata: unknown): void {
    const open = this.#openAt(key, "text");
    const providerMetadata = merged(open.metadata, metadata);
    open.block = { type: "text", text: open.text.toWellFormed(), ...(providerMetadata && { providerMetadata }) };
    this.#handOn();
  }

  #endReasoning(key: string, metadata: unknown): void {
    const open = this.#openAt(key, "reasoning");
    const providerMetadata = merged(open.metadata, metadata);
    const keep = providerMetadata !== undefined || this.#options.keepUnsignedReasoning;
    open.block = {
      type: "reasoning",
      text: open.text.toWellFormed(),
      keep,
      ...(providerMetadata && { providerMetadata }),
    };
    if (--this.#thinking === 0) this.#options.publish({ type: "thinking.ended" });
    this.#handOn();
  }

  #call(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): void {
    this.#grow(part.input);
    const key = `call ${part.toolCallId}`;
    const begun = this.#open.get(key);
    const providerMetadata = merged(begun?.metadata, part.providerMetadata);
    const block: Block = {
      type: "call",
      providerCallId: part.toolCallId,
      name: part.toolName.toWellFormed(),
      ...this.#options.judge(part.toolName, part.input.toWellFormed()),
      ...(providerMetadata && { providerMetadata }),
    };
    this.#whole(begun && !begun.block ? key : undefined, block);
  }

  /** What the provider made itself is kept as the part that a later prompt sends back. */
  #provided(part: LanguageModelV4StreamPart): void {
    const sent = promptPartOf(part);
    if (sent) this.#whole(undefined, { type: "provided", part: sent });
  }

  #whole(key: string | undefined, block: Block): void {
    const open = key === undefined ? undefined : this.#open.get(key);
    if (open) open.block = block;
    else this.#open.set(`whole ${this.#count++}`, { kind: "call", text: "", metadata: undefined, block });
    this.#handOn();
  }

  #handOn(): void {
    for (const [key, { block }] of this.#open) {
      if (!block) return;
      this.#open.delete(key);
      this.#options.onBlock(block);
    }
  }

  #quiet(): void {
    if (this.#thinking > 0) this.#options.publish({ type: "thinking.ended" });
    this.#thinking = 0;
  }
}

/** The prompt part for content that the provider made; undefined for what no prompt takes. */
const promptPartOf = (part: LanguageModelV4StreamPart): unknown => {
  const options = "providerMetadata" in part && part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
  if (part.type === "tool-call") {
    const { toolCallId, toolName, input } = part;
    return { type: "tool-call", toolCallId, toolName, input: parsed(input), providerExecuted: true, ...options };
  }
  if (part.type === "tool-result") {
    const { toolCallId, toolName, result, isError } = part;
    return {
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: isError ? "error-json" : "json", value: result ?? null },
      ...options,
    };
  }
  if (part.type === "file" || part.type === "reasoning-file")
    return { type: part.type, mediaType: part.mediaType, data: part.data, ...options };
  return part.type === "custom" ? { type: "custom", kind: part.kind, ...options } : undefined;
};

const parsed = (input: string): unknown => {
  try {
    return JSON.parse(input);
  } catch {
    return {};
  }
};
