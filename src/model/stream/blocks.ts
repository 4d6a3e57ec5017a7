import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { JsonObject } from "../../../machines/history/json.ts";
import type { Block, Verdict } from "../../../machines/round/turn.ts";
import { TurnTooLongError } from "../../errors.ts";
import { type Delta, Display } from "./display.ts";
import { asField, isSaid, merged } from "./metadata.ts";
import { type Piece, Pieces } from "./pieces.ts";
import { type ProvidedContent, promptPartOf } from "./provided.ts";

/** What the thread's tools say of a call as the model wrote it. */
export interface JudgedCall {
  readonly args: JsonObject;
  readonly raw?: string;
  readonly display?: string;
  readonly verdict: Verdict;
}

export interface BlockReaderOptions {
  /** `rawArguments` is what the model wrote, which may be no JSON. */
  readonly judge: (name: string, rawArguments: string) => JudgedCall;
  readonly publish: (delta: Delta) => void;
  readonly keepUnsignedReasoning: boolean;
  /** A block is whole. Blocks come in the order the model began them. */
  readonly onBlock: (block: Block) => void;
  /** Characters of one turn: text, reasoning, arguments, what the provider made. Default `turnLimit`. */
  readonly limit?: number;
}

/** Characters of one turn; a stream that goes on beyond is a fault of the provider. */
export const turnLimit = 10_000_000;

/** Parts by which a provider tells how its stream goes. They look like content and are none: nothing takes them back. */
const notices: ReadonlySet<string> = new Set(["anthropic.message_start"]);

type Part<Type extends LanguageModelV4StreamPart["type"]> = Extract<LanguageModelV4StreamPart, { type: Type }>;

/**
 * Turns the parts of a stream into whole blocks. Parts of parallel blocks may interleave, and ids may repeat or be empty:
 * each block is handed on once it and all that began before it are whole.
 * A call that the provider executes is whole with its result, so that a turn which is cut never ends between the two.
 */
export class BlockReader {
  readonly #options: BlockReaderOptions;
  readonly #display: Display;
  readonly #pieces = new Pieces();
  #size = 0;

  constructor(options: BlockReaderOptions) {
    this.#options = options;
    this.#display = new Display(options.publish);
  }

  /** Throws TurnTooLongError, what `judge` throws, and whatever a part that keeps to no specification leads to. */
  read(part: LanguageModelV4StreamPart): void {
    // Each part counts, so that a flood of empty ones ends too.
    this.#count(1);
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#start(part);
        break;
      case "text-delta":
      case "reasoning-delta":
        this.#grow(part);
        break;
      case "text-end":
      case "reasoning-end":
        this.#end(part.type === "text-end" ? "text" : "reasoning", part.id, part.providerMetadata);
        break;
      case "tool-input-start":
        this.#pieces.begin("call", part.id, part.providerMetadata);
        break;
      case "tool-input-delta":
      case "tool-input-end":
        this.#growCall(part);
        break;
      case "tool-call":
        if (part.providerExecuted) this.#provided(part);
        else this.#call(part);
        break;
      case "tool-result":
        // A preliminary result is replaced by the next one, the last of them by the final one.
        if (!part.preliminary) this.#provided(part);
        break;
      case "custom":
        if (!notices.has(part.kind)) this.#provided(part);
        break;
      case "file":
      case "reasoning-file":
        this.#provided(part);
        break;
    }
    this.#handOn();
  }

  /** The end mark came: what is still open ends here. A call without its whole arguments is dropped. */
  finish(): void {
    this.#display.close();
    for (const piece of this.#pieces.takeAll()) {
      const block = piece.block ?? (piece.kind === "call" ? undefined : this.#said(piece));
      if (block) this.#options.onBlock(block);
    }
  }

  /**
   * No end mark will come: hands on what is whole and the text that is visible, in order; open reasoning and incomplete
   * calls are dropped. When the last of these is text that was still open, it is returned instead; "" otherwise.
   */
  abandon(): string {
    this.#display.close();
    const kept = this.#pieces
      .takeAll()
      .filter(
        ({ kind, text, block, awaits }) =>
          awaits === undefined && (block !== undefined || (kind === "text" && text !== "")),
      );
    const last = kept.at(-1)?.block ? undefined : kept.pop();
    for (const { block, text } of kept) this.#options.onBlock(block ?? { type: "text", text: text.toWellFormed() });
    return last?.text.toWellFormed() ?? "";
  }

  /** Nobody wants the turn any more; only what is shown of it is brought to its end. */
  close(): void {
    this.#display.close();
    this.#pieces.takeAll();
  }

  #count(characters: number): void {
    const { limit = turnLimit } = this.#options;
    this.#size += characters;
    if (this.#size > limit) throw new TurnTooLongError(limit);
  }

  #start({ type, id, providerMetadata }: Part<"text-start" | "reasoning-start">): void {
    const kind = type === "text-start" ? "text" : "reasoning";
    // What had this id before has ended, whether or not its provider says so.
    this.#end(kind, id, undefined);
    this.#pieces.begin(kind, id, providerMetadata);
    this.#display.began(kind);
  }

  #grow({ type, id, delta, providerMetadata }: Part<"text-delta" | "reasoning-delta">): void {
    this.#count(delta.length);
    const kind = type === "text-delta" ? "text" : "reasoning";
    let piece = this.#pieces.find(kind, id);
    if (!piece) {
      // A delta without a start begins its block.
      piece = this.#pieces.begin(kind, id);
      this.#display.began(kind);
    }
    piece.text += delta;
    piece.metadata = merged(piece.metadata, providerMetadata);
    this.#display.grew(kind, delta);
  }

  #end(kind: "text" | "reasoning", id: string, metadata: unknown): void {
    const piece = this.#pieces.take(kind, id);
    if (!piece) return;
    piece.metadata = merged(piece.metadata, metadata);
    piece.block = this.#said(piece);
    this.#display.ended(kind);
  }

  #said({ kind, text, metadata }: Piece): Block {
    const said = { text: text.toWellFormed(), ...asField(metadata) };
    if (kind === "text") return { type: "text", ...said };
    return { type: "reasoning", keep: isSaid(metadata) || this.#options.keepUnsignedReasoning, ...said };
  }

  #growCall(part: Part<"tool-input-delta" | "tool-input-end">): void {
    const length = part.type === "tool-input-delta" ? part.delta.length : 0;
    this.#count(length);
    const piece = this.#pieces.find("call", part.id);
    if (!piece) return;
    piece.counted += length;
    piece.metadata = merged(piece.metadata, part.providerMetadata);
  }

  #call({ toolCallId, toolName, input, providerMetadata }: Part<"tool-call">): void {
    const piece = this.#pieces.take("call", toolCallId) ?? this.#pieces.add("call");
    this.#count(Math.max(0, input.length - piece.counted));
    const name = toolName.toWellFormed();
    piece.block = {
      type: "call",
      providerCallId: toolCallId.toWellFormed(),
      name,
      ...this.#options.judge(name, input.toWellFormed()),
      ...asField(merged(piece.metadata, providerMetadata)),
    };
  }

  #provided(content: ProvidedContent): void {
    const begun = content.type === "tool-call" ? this.#pieces.take("call", content.toolCallId) : undefined;
    const piece = begun ?? this.#pieces.add("provided");
    const { part, size } = promptPartOf(content);
    this.#count(Math.max(0, size - piece.counted));
    piece.block = { type: "provided", part };
    if (content.type === "tool-call") piece.awaits = content.toolCallId;
    if (content.type === "tool-result") this.#pieces.answered(content.toolCallId);
  }

  #handOn(): void {
    for (const block of this.#pieces.takeWhole()) this.#options.onBlock(block);
  }
}
