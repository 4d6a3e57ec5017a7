import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";

/** What goes into every request to a model, as the AI SDK names it. Not what a thread decides: the prompt and its tools. */
export type ModelSettings = Partial<
  Omit<LanguageModelV4CallOptions, "prompt" | "tools" | "abortSignal" | "includeRawChunks" | "responseFormat">
>;

/** The responses API of OpenAI, also at Azure. */
const keepsAnswers = /^(?:openai|azure(?:-openai)?)\.responses$/;

/**
 * Settings with their defaults. OpenAI keeps the answers of its responses API for a month unless told otherwise, and later
 * requests name them by id. A thread outlives that, and an answer that was cut is never kept: here they go back whole.
 */
export const resolveSettings = (
  { provider }: Pick<LanguageModelV4, "provider">,
  settings: ModelSettings = {},
): ModelSettings => {
  if (!keepsAnswers.test(provider)) return settings;
  const { providerOptions } = settings;
  return { ...settings, providerOptions: { ...providerOptions, openai: { store: false, ...providerOptions?.openai } } };
};
