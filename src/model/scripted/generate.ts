import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { apiError } from "./failure.ts";

type Block = { type: "text" | "reasoning"; text: string; providerMetadata?: SharedV4ProviderMetadata };

/**
 * What a stream says, collected: content in the order it was begun. Throws what an `error` part carries, and a retryable
 * APICallError for a stream that ends without its end mark.
 */
export const generateFrom = async (
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> => {
  const content: LanguageModelV4Content[] = [];
  const blocks = new Map<string, Block>();
  const warnings: LanguageModelV4GenerateResult["warnings"] = [];
  let response: LanguageModelV4GenerateResult["response"];

  for await (const part of stream) {
    switch (part.type) {
      case "stream-start":
        warnings.push(...part.warnings);
        break;
      case "response-metadata": {
        const { type: _, ...metadata } = part;
        response = metadata;
        break;
      }
      case "text-start":
      case "reasoning-start": {
        const block: Block = { type: part.type === "text-start" ? "text" : "reasoning", text: "" };
        blocks.set(part.id, block);
        content.push(block);
        break;
      }
      case "text-delta":
      case "text-end":
      case "reasoning-delta":
      case "reasoning-end": {
        const block = blocks.get(part.id);
        if (!block) break;
        if ("delta" in part) block.text += part.delta;
        if (part.providerMetadata) block.providerMetadata = part.providerMetadata;
        break;
      }
      case "error":
        throw part.error;
      case "finish":
        return { content, finishReason: part.finishReason, usage: part.usage, warnings, ...(response && { response }) };
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
      case "ping":
      case "raw":
        break;
      default:
        content.push(part);
    }
  }
  throw apiError({ error: "transient", message: "The response ended before its end mark." });
};
