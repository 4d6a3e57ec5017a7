import type { LanguageModelV4 } from "@ai-sdk/provider";

/** What the runtime must know of a model and cannot read off it. */
export interface ModelOptions {
  /**
   * How events look: a synthetic call with its result, or a user text for models that refuse calls they did not sign.
   * Default: by provider.
   */
  readonly eventsAs?: "call" | "text";
  /** Store reasoning that carries no signature, and send it back. Default false: it is shown only. */
  readonly keepUnsignedReasoning?: boolean;
  /** Images in results are sent. Default true; else the model reads a placeholder. */
  readonly supportsImages?: boolean;
  /** Tokens. */
  readonly contextWindow?: number;
}

/** Options with their defaults filled in. */
export interface ResolvedModelOptions extends ModelOptions {
  readonly eventsAs: "call" | "text";
  readonly keepUnsignedReasoning: boolean;
  readonly supportsImages: boolean;
}

/** Providers whose models sign their calls together with the reasoning before them, and refuse calls without. */
const signingProviders = /^(anthropic|google|vertex|amazon-bedrock|bedrock)\b/;

export const modelName = ({ provider, modelId }: Pick<LanguageModelV4, "provider" | "modelId">): string =>
  `${provider}/${modelId}`;

export const resolveModelOptions = (model: LanguageModelV4, options: ModelOptions = {}): ResolvedModelOptions => ({
  ...options,
  eventsAs: options.eventsAs ?? (signingProviders.test(model.provider) ? "text" : "call"),
  keepUnsignedReasoning: options.keepUnsignedReasoning ?? false,
  supportsImages: options.supportsImages ?? true,
});
