import type { LanguageModelV4 } from "@ai-sdk/provider";
import { addressIn, type Env, given, needed } from "./env.ts";
import { fetchFrom } from "./fetch-from.ts";
import { loaded } from "./loaded.ts";
import { withoutSecret } from "./without-secret.ts";

/** Each makes the model of that id. A key is sent to the provider's own address, or to the one that is set beside it. */
export const providers = {
  async anthropic(id, env) {
    const apiKey = needed(env, "ANTHROPIC_API_KEY", id);
    const baseURL = addressIn(env, "ANTHROPIC_BASE_URL");
    const { createAnthropic } = await loaded("@ai-sdk/anthropic", () => import("@ai-sdk/anthropic"));
    const fetch = fetchFrom({ variable: baseURL && "ANTHROPIC_BASE_URL" });
    return withoutSecret(createAnthropic({ apiKey, fetch, ...(baseURL && { baseURL }) }).languageModel(id), apiKey);
  },
  async openai(id, env) {
    const apiKey = needed(env, "OPENAI_API_KEY", id);
    const baseURL = addressIn(env, "OPENAI_BASE_URL");
    const { createOpenAI } = await loaded("@ai-sdk/openai", () => import("@ai-sdk/openai"));
    const fetch = fetchFrom({ variable: baseURL && "OPENAI_BASE_URL" });
    return withoutSecret(createOpenAI({ apiKey, fetch, ...(baseURL && { baseURL }) }).languageModel(id), apiKey);
  },
  /** Ollama, vLLM, llama.cpp and many others. A server at home wants no key. */
  async "openai-compatible"(id, env) {
    needed(env, "OPENAI_BASE_URL", id);
    const baseURL = addressIn(env, "OPENAI_BASE_URL") ?? "";
    const apiKey = given(env, "OPENAI_API_KEY");
    const { createOpenAICompatible } = await loaded(
      "@ai-sdk/openai-compatible",
      () => import("@ai-sdk/openai-compatible"),
    );
    const provider = createOpenAICompatible({
      name: "openai-compatible",
      baseURL,
      includeUsage: true,
      fetch: fetchFrom({ variable: "OPENAI_BASE_URL" }),
      ...(apiKey && { apiKey }),
    });
    return withoutSecret(provider.chatModel(id), apiKey);
  },
} satisfies Record<string, (id: string, env: Env) => Promise<LanguageModelV4>>;

export type ProviderName = keyof typeof providers;
