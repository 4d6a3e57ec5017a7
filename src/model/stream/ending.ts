import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../../../machines/round/turn.ts";

export type EndMark = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** Said of every stream that broke off, whether its provider noticed or not. */
export const droppedMessage = "The model's stream came to its end without an end mark.";

/** What an end mark means: a turn that ended, or a try that did not. */
export type Ending =
  | { readonly outcome: "finished" | "truncated" | "filtered" }
  | { readonly broken: "stream.failed" | "stream.dropped"; readonly message: string };

export const endingOf = ({ finishReason: { unified, raw } }: EndMark): Ending => {
  switch (unified) {
    case "length":
      return { outcome: "truncated" };
    case "content-filter":
      return { outcome: "filtered" };
    case "interrupted":
      return { broken: "stream.dropped", message: droppedMessage };
    case "error": {
      const why = raw === undefined || raw === unified ? "" : ` (${raw})`;
      return { broken: "stream.failed", message: `The model's provider ended the turn with an error${why}.` };
    }
    default:
      return { outcome: "finished" };
  }
};

/** What is no count would spoil every sum it enters. */
const counted = (tokens: number | undefined): number =>
  tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? tokens : 0;

/** What a provider does not count is 0, or left out; null when it counts nothing at all. */
export const usageOf = (usage: LanguageModelV4Usage | undefined): Usage | null => {
  if (!usage) return null;
  const { inputTokens: input, outputTokens: output } = usage as Partial<LanguageModelV4Usage>;
  if (input?.total === undefined && output?.total === undefined) return null;
  return {
    inputTokens: counted(input?.total),
    outputTokens: counted(output?.total),
    ...(input?.cacheRead !== undefined && { cachedInputTokens: counted(input.cacheRead) }),
    ...(output?.reasoning !== undefined && { reasoningTokens: counted(output.reasoning) }),
  };
};
