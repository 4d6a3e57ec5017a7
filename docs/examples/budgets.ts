import { createSystem, type SystemOptions } from "wakeful";

type Model = SystemOptions["model"];

/** Two million tokens, or five dollars, whichever a tree of threads comes to first. */
export const forAll = (model: Model) =>
  createSystem({
    model,
    prices: { "claude-sonnet-4-5": { input: 3, output: 15, cachedInput: 0.3 } },
    budget: { tokens: 2_000_000, cost: 5 },
  });

/** Each tree what its owner has paid for, asked for anew with each slice. */
export const paidFor = (model: Model, prices: SystemOptions["prices"], balanceOf: (root: string) => Promise<number>) =>
  createSystem({
    model,
    ...(prices && { prices }),
    threadConfig: async ({ root }) => ({ budget: { cost: await balanceOf(root) } }),
  });
