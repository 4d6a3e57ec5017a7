import type { Usage } from "../../machines/round/turn.ts";
import { OptionError } from "../errors.ts";

/** What a million tokens cost, in whatever the application counts in. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of tokens in that the provider had in its cache. Default: `input`. */
  readonly cachedInput?: number;
}

/** By the model's id (`claude-sonnet-4-5`), or by provider and id as `round.ended` names it, which goes first. */
export type Prices = Readonly<Record<string, Price>>;

const isAmount = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** Throws OptionError for a price that is none. */
export const checkPrices = (prices: Prices): void => {
  if (typeof prices !== "object" || prices === null)
    throw new OptionError("prices", "is no object; it takes prices by the ids of models");
  for (const [id, price] of Object.entries(prices)) {
    const { input, output, cachedInput = 0, ...more } = price ?? {};
    const [unknown] = Object.keys(more);
    if (unknown !== undefined || ![input, output, cachedInput].every(isAmount))
      throw new OptionError(
        `prices[${JSON.stringify(id)}]`,
        "takes { input, output, cachedInput? }: what a million tokens cost, as numbers from 0",
      );
  }
};

export const priceOf = (
  prices: Prices,
  { provider, modelId }: { readonly provider: string; readonly modelId: string },
): Price | undefined => prices[`${provider}/${modelId}`] ?? prices[modelId];

/** The usage with what it cost; as it is where there is no price. */
export const priced = (usage: Usage | null, price: Price | undefined): Usage | null => {
  if (!usage || !price) return usage;
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const { input, output, cachedInput = input } = price;
  return {
    ...usage,
    cost: ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / 1_000_000,
  };
};
