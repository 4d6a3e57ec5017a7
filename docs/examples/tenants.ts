import { createSystem, defineTool, demoModel } from "wakeful";
import { z } from "zod";

/** What an application knows of its tenants, in a database or elsewhere. */
const tenants = {
  acme: { plan: "gold", orders: ["A-1", "A-2"] },
  globex: { plan: "free", orders: ["G-7"] },
};

/** A tool that is made for one tenant, and sees nothing of another. */
const listOrders = (orders: readonly string[]) =>
  defineTool({
    name: "list_orders",
    description: "List the open orders.",
    inputSchema: z.object({}),
    annotations: { readOnly: true },
    inline: () => orders.join(", "),
  });

const system = await createSystem({
  model: demoModel(),
  threadConfig: async ({ metadata }) => {
    const { plan, orders } = tenants[metadata.tenant as keyof typeof tenants];
    return {
      tools: [listOrders(orders)],
      instructions: `You serve ${metadata.tenant}, plan ${plan}.`,
      approval: plan === "free" ? { list_orders: "deny" } : {},
    };
  },
});

for (const tenant of ["acme", "globex"]) {
  const thread = await system.open(`${tenant}/chat`, { metadata: { tenant } });
  console.log(`${tenant}: ${await thread.ask("call list_orders")}`);
}
tenants.globex.plan = "gold";
const thread = await system.open("globex/chat");
console.log(`globex: ${await thread.ask("call list_orders")}`);

await system.stop();
