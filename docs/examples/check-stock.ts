import { defineTool, ToolError } from "wakeful";
import { z } from "zod";

const stock = new Map([
  ["apples", 12],
  ["pears", 0],
]);

export const checkStock = defineTool({
  name: "check_stock",
  description: "Say how many pieces of a product are in stock.",
  inputSchema: z.object({ product: z.string().describe("Name of the product, in the plural") }),
  annotations: { readOnly: true },
  display: ({ product }) => `Look for ${product}`,
  run: async ({ product }) => {
    const count = stock.get(product);
    if (count === undefined)
      throw new ToolError(`There is no product ${product}. Try ${[...stock.keys()].join(", ")}.`);
    return `There are ${count} ${product} in stock.`;
  },
});

export default [checkStock];
