import type { LanguageModelV4 } from "@ai-sdk/provider";

type Named = Pick<LanguageModelV4, "provider" | "modelId">;

/** Parts of a provider's name, or the vendor in a gateway's model id, whose models sign. */
const signing = /(^|[./-])(anthropic|google|vertex|bedrock)\b/;

/**
 * Models that sign calls together with the reasoning before them (Claude that thinks, Gemini) refuse a call that carries
 * no signature, and a synthetic pair is such a call: they read events as text. Whether thinking is on is an option of each
 * request that nobody can read off a model, so every model of these vendors counts; all others get the pair, which tells
 * them best where the event came from.
 */
const byProvider = ({ provider, modelId }: Named): "call" | "text" =>
  signing.test(provider) || (provider.startsWith("gateway") && signing.test(modelId)) ? "text" : "call";

/** Models that refused a pair and took its text, by provider and model id, for as long as the process lives. */
const refusing = new Set<string>();
const keyOf = ({ provider, modelId }: Named): string => JSON.stringify([provider, modelId]);

/** A request with pairs was refused by this model, and the same request with text was answered. */
export const rememberEventsAsText = (model: Named): void => void refusing.add(keyOf(model));

/** How events look to this model: as it was found out, else as its owner says, else as its provider is known. */
export const eventsAsFor = (model: Named, said: "call" | "text" | undefined): "call" | "text" =>
  refusing.has(keyOf(model)) ? "text" : (said ?? byProvider(model));
