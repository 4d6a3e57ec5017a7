import { createSystem, defineTool, ToolError } from "wakeful";
import { scriptedModel } from "wakeful/testing";
import { z } from "zod";

const charge = defineTool({
  name: "charge",
  description: "Charge an amount of money.",
  inputSchema: z.object({ amount: z.number().positive(), currency: z.enum(["EUR", "USD"]).default("EUR") }),
  run: async ({ amount, currency }) => {
    if (amount > 1_000) throw new ToolError("At most 1000 can be charged at once. Charge it in parts.");
    if (amount > 500) throw new Error("connect ECONNREFUSED bank.internal:5432, user admin");
    if (amount > 100) throw Object.assign(new Error("the bank is closed"), { status: 503 });
    return { charged: amount, currency };
  },
});

const model = scriptedModel([
  {
    calls: [
      { name: "charge", args: { amount: 5 } },
      { name: "charge", args: { amount: "5", currency: "DM" } },
      { name: "charge", raw: '{"amount": 5' },
      { name: "refund", args: { amount: 5 } },
      { name: "charge", args: { amount: 5_000 } },
      { name: "charge", args: { amount: 600 } },
      { name: "charge", args: { amount: 200 } },
    ],
  },
  "Done.",
]);
// A random number that is always the same, for a reference that is always the same.
const system = await createSystem({ model, tools: [charge], builtins: false, random: () => 0.5 });
const thread = await system.open("shop/charge");
thread.updates$.subscribe((update) => {
  if (update.type === "failure") console.log(`for you: ${update.code} ${update.reference}: ${update.message}\n`);
});
await thread.ask("Try everything.");

for (const { entry } of await thread.history())
  if (entry.kind === "result")
    for (const item of entry.content) if (item.type === "text") console.log(`${entry.origin}: ${item.text}\n`);

await system.stop();
