import type { Failure } from "../round/turn.ts";
import type { Ledger } from "./ledger.ts";

/** What a tree of threads may use up. Reached when as much, or more, was counted: 0 allows no round. */
export interface Budget {
  /** Tokens in and out. */
  readonly tokens?: number;
  /** In whatever the prices are in. */
  readonly cost?: number;
}

/** A tree's budget, and what its root and all threads below have used of it, closed ones too. */
export interface TreeUse {
  readonly budget: Budget;
  readonly tokens: number;
  readonly cost: number;
}

export const isReached = ({ budget, tokens, cost }: TreeUse): boolean =>
  tokens >= (budget.tokens ?? Number.POSITIVE_INFINITY) || cost >= (budget.cost ?? Number.POSITIVE_INFINITY);

/** A commit left the tree with its budget used up, and the thread is not halted yet. */
export const reachesBudget = ({ record }: Ledger, tree: TreeUse | undefined): boolean =>
  tree !== undefined && isReached(tree) && !record.halted && !record.closing;

/** A round would begin, and there is nothing left for it. */
export const budgetIsReached = ({ tree, record }: Ledger): boolean =>
  tree !== null && isReached(tree) && !record.closing;

const grouped = (count: number): string => count.toLocaleString("en-US", { maximumFractionDigits: 6 });

/** Why the tree is halted, with what its owner can do. */
export const budgetFailure = ({ budget, tokens, cost }: TreeUse, at: number): Failure => {
  const [used, allowed] =
    tokens >= (budget.tokens ?? Number.POSITIVE_INFINITY)
      ? [`${grouped(tokens)} tokens`, grouped(budget.tokens ?? 0)]
      : [`a cost of ${grouped(cost)}`, grouped(budget.cost ?? 0)];
  return {
    code: "BUDGET_REACHED",
    message: `The thread and those of its tree have used ${used}, and their budget is ${allowed}, so all of them are halted. Raise the budget, then write to go on.`,
    at,
  };
};
