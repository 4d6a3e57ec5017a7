import { createSystem, defineTool, demoModel } from "wakeful";
import { z } from "zod";

/** Stands for a service that takes an idempotency key: what comes under a key it knows is answered as before. */
const payments = {
  byKey: new Map<string, string>(),
  charge(key: string, amount: number): string {
    const receipt = this.byKey.get(key) ?? `receipt ${this.byKey.size + 1} over ${amount}`;
    this.byKey.set(key, receipt);
    return receipt;
  },
};

const charge = defineTool({
  name: "charge",
  description: "Charge the customer.",
  inputSchema: z.object({ amount: z.number() }),
  annotations: { idempotent: true },
  run: ({ amount }, call) => payments.charge(call.id, amount),
});

const system = await createSystem({ model: demoModel(), tools: [charge] });
const thread = await system.open("shop/order-7");
console.log(await thread.ask('call charge {"amount": 12}'));
console.log([...payments.byKey]);
await system.stop();
