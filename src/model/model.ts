import type { LanguageModelV4 } from "@ai-sdk/provider";
import { contextWindowOf } from "./context-window.ts";
import { eventsAsFor } from "./events-as.ts";
import { type ModelSettings, resolveSettings } from "./settings.ts";

/** What the runtime must know of a model and cannot read off it. */
export interface ModelOptions {
  /**
   * How events look: a synthetic call with its result, or a user text for models that refuse calls they did not sign.
   * Default: by provider. A model that refuses a request with such a call is asked once more with text, and has text from
   * then on, whatever this says.
   */
  readonly eventsAs?: "call" | "text";
  /** Store reasoning that carries no signature, and send it back. Default false: it is shown only. */
  readonly keepUnsignedReasoning?: boolean;
  /**
   * Images in results are sent; else the model reads a placeholder. Default by provider: true, but for chat completions,
   * whose results are text: an image would be read there letter by letter.
   */
  readonly supportsImages?: boolean;
  /**
   * Tokens that the model takes; above three quarters of it a conversation is summarised. Default: by the name of the model,
   * where it is of a well-known family; otherwise nobody knows, and nothing is summarised by itself. 0 switches it off.
   */
  readonly contextWindow?: number;
  /** Goes into every request, e.g. `maxOutputTokens`, or `providerOptions` that turn thinking on. */
  readonly settings?: ModelSettings;
}

/** Options with their defaults filled in. */
export interface ResolvedModelOptions extends ModelOptions {
  readonly eventsAs: "call" | "text";
  readonly keepUnsignedReasoning: boolean;
  readonly supportsImages: boolean;
  readonly settings: ModelSettings;
}

/** `<provider>/<model id>`, as it stands in outputs and logs. */
export const modelName = ({ provider, modelId }: Pick<LanguageModelV4, "provider" | "modelId">): string =>
  `${provider}/${modelId}`;

/** The chat completions API, of whichever provider, as its packages name it. */
const hasTextResults = ({ provider }: Pick<LanguageModelV4, "provider">): boolean => provider.endsWith(".chat");

const windowOf = (
  model: Pick<LanguageModelV4, "modelId">,
  { contextWindow = contextWindowOf(model) }: ModelOptions,
): Pick<ModelOptions, "contextWindow"> => (contextWindow === undefined ? {} : { contextWindow });

export const resolveModelOptions = (
  model: Pick<LanguageModelV4, "provider" | "modelId">,
  options: ModelOptions = {},
): ResolvedModelOptions => ({
  ...options,
  eventsAs: eventsAsFor(model, options.eventsAs),
  keepUnsignedReasoning: options.keepUnsignedReasoning ?? false,
  supportsImages: options.supportsImages ?? !hasTextResults(model),
  ...windowOf(model, options),
  settings: resolveSettings(model, options.settings),
});
