import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Block } from "../../../machines/round/turn.ts";
import { BlockReader, type BlockReaderOptions, type JudgedCall } from "../../../src/model/stream/blocks.ts";
import type { Delta } from "../../../src/model/stream/display.ts";

export type Part = LanguageModelV4StreamPart;

const accepted = { as: "accepted", form: "run", passive: false, onRestart: "fail" } as const;

/** Takes any arguments that are a JSON object. */
export const judge = (_: string, raw: string): JudgedCall => {
  try {
    const args = JSON.parse(raw);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return { args, verdict: accepted };
  } catch {}
  return { args: {}, raw, verdict: { as: "refused", origin: "validation", text: "no JSON object" } };
};

/** Reads parts and keeps what comes of them. */
export class Reading {
  readonly blocks: Block[] = [];
  readonly deltas: Delta[] = [];
  readonly reader: BlockReader;

  constructor(options: Partial<BlockReaderOptions> = {}) {
    this.reader = new BlockReader({
      judge,
      keepUnsignedReasoning: false,
      publish: (delta) => this.deltas.push(delta),
      onBlock: (block) => this.blocks.push(block),
      ...options,
    });
  }

  read(...parts: readonly Part[]): this {
    for (const part of parts) this.reader.read(part);
    return this;
  }

  finish(): this {
    this.reader.finish();
    return this;
  }

  /** What is kept when no end mark comes, visible text included. */
  abandon(): readonly Block[] {
    const visible = this.reader.abandon();
    return visible === "" ? this.blocks : [...this.blocks, { type: "text", text: visible }];
  }

  /** Short forms of the blocks: `text:hi`, `reasoning:hm`, `call:name`, `provided:type`. */
  get told(): readonly string[] {
    return this.blocks.map(tell);
  }

  get shown(): string {
    return this.deltas.map((delta) => (delta.type === "text.delta" ? delta.text : "")).join("");
  }
}

export const tell = (block: Block): string => {
  if (block.type === "call") return `call:${block.name}`;
  if (block.type === "provided") return `provided:${(block.part as { type: string }).type}`;
  return `${block.type}:${block.text}`;
};

/** Parts of whole blocks, as a provider writes them. */
export const text = (words: string, id = "t"): Part[] => [
  { type: "text-start", id },
  { type: "text-delta", id, delta: words },
  { type: "text-end", id },
];
export const reasoning = (words: string, signature?: string, id = "r"): Part[] => [
  { type: "reasoning-start", id },
  { type: "reasoning-delta", id, delta: words },
  { type: "reasoning-end", id, ...(signature !== undefined && { providerMetadata: { maker: { signature } } }) },
];
export const call = (toolName: string, args: object = {}, id = `id-${toolName}`): Part[] => {
  const input = JSON.stringify(args);
  return [
    { type: "tool-input-start", id, toolName },
    { type: "tool-input-delta", id, delta: input },
    { type: "tool-input-end", id },
    { type: "tool-call", toolCallId: id, toolName, input },
  ];
};
export const finish = (
  unified: Extract<Part, { type: "finish" }>["finishReason"]["unified"] = "stop",
  raw: string | undefined = undefined,
): Part => ({
  type: "finish",
  finishReason: { unified, raw },
  usage: {
    inputTokens: { total: 7, noCache: 5, cacheRead: 2, cacheWrite: 0 },
    outputTokens: { total: 4, text: 3, reasoning: 1 },
  },
});
