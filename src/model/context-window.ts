import type { LanguageModelV4 } from "@ai-sdk/provider";

/** Tokens that the models of well-known families take, by how their names begin; the first that fits. */
const families: readonly (readonly [RegExp, number])[] = [
  [/claude/, 200_000],
  [/gpt-4\.1/, 1_000_000],
  [/gpt-5/, 400_000],
  [/gpt-4o|gpt-4-turbo/, 128_000],
  [/(?:^|\/)o[34]/, 200_000],
  [/gemini-[23]/, 1_000_000],
];

/** Undefined for a model that nobody here knows: name its window, or its conversations grow until it refuses them. */
export const contextWindowOf = ({ modelId }: Pick<LanguageModelV4, "modelId">): number | undefined =>
  families.find(([name]) => name.test(modelId.toLowerCase()))?.[1];
