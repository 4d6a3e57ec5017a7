import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Budget } from "../../machines/thread/budget.ts";
import { OptionError } from "../errors.ts";
import { modelName } from "../model/model.ts";
import { type Prices, priceOf } from "../model/prices.ts";
import type { Store } from "../store/store.ts";

const known = ["tokens", "cost"];

/** What is wrong with a budget, as the end of a sentence; undefined when nothing is. */
export const problemOfBudget = (given: unknown): string | undefined => {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return "takes an object: { tokens?, cost? }, for the whole tree of a thread";
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) return `has no ${name}; there are ${known.join(" and ")}`;
    if (value !== undefined && (typeof value !== "number" || Number.isNaN(value) || value < 0))
      return `has ${name}: ${String(value)}; it takes a number from 0`;
  }
  return undefined;
};

export const sameBudget = (a: Budget | undefined, b: Budget | undefined): boolean =>
  a === b || (a?.tokens === b?.tokens && a?.cost === b?.cost && (a === undefined) === (b === undefined));

/** Throws OptionError for a budget of a system that is none, or that could not be kept. */
export const checkBudget = (budget: unknown, model: LanguageModelV4, prices: Prices, store: Store): void => {
  if (budget === undefined) return;
  const problem = problemOfBudget(budget);
  if (problem) throw new OptionError("budget", problem);
  if (!store.treeUsage)
    throw new OptionError("budget", "cannot be kept on this store: it has no treeUsage; use another store");
  if ((budget as Budget).cost !== undefined && !priceOf(prices, model))
    throw new OptionError("budget", `has a cost, and there is no price of ${modelName(model)}; name it in prices`);
};
