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

/** Parts of a provider's name, or the vendor in a gateway's model id, whose models sign. */
const signing = /(^|[./-])(anthropic|google|vertex|bedrock)\b/;

/**
 * Models that sign calls together with the reasoning before them (Claude that thinks, Gemini) refuse a call that carries
 * no signature, and a synthetic pair is such a call: they read events as text. Whether thinking is on is an option of each
 * request that nobody can read off a model, so every model of these vendors counts; all others get the pair, which tells
 * them best where the event came from.
 */
const defaultEventsAs = ({ provider, modelId }: Pick<LanguageModelV4, "provider" | "modelId">): "call" | "text" =>
  signing.test(provider) || (provider.startsWith("gateway") && signing.test(modelId)) ? "text" : "call";

/** `<provider>/<model id>`, as it stands in outputs and logs. */
export const modelName = ({ provider, modelId }: Pick<LanguageModelV4, "provider" | "modelId">): string =>
  `${provider}/${modelId}`;

export const resolveModelOptions = (
  model: Pick<LanguageModelV4, "provider" | "modelId">,
  options: ModelOptions = {},
): ResolvedModelOptions => ({
  ...options,
  eventsAs: options.eventsAs ?? defaultEventsAs(model),
  keepUnsignedReasoning: options.keepUnsignedReasoning ?? false,
  supportsImages: options.supportsImages ?? true,
});
