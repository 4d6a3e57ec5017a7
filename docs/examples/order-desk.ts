import { appendFileSync } from "node:fs";
import { defineTool, demoModel } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { z } from "zod";
import { createWhenFree } from "./when-free.ts";

const [database = "shop.db", orders = "orders.jsonl", ...texts] = process.argv.slice(2);

/** What the warehouse finds in its file: what is wanted, and the address that the answer goes to. */
const write = (order: object): void => appendFileSync(orders, `${JSON.stringify(order)}\n`, { flush: true });

const orderParts = defineTool({
  name: "order_parts",
  description: "Order parts from the warehouse.",
  inputSchema: z.object({ part: z.string(), count: z.int().positive() }),
  // After a crash the order is perhaps written twice. It has the same address then, so the second answer is dropped.
  annotations: { idempotent: true },
  dispatch: ({ part, count }, call) => write({ kind: "parts", address: call.address, part, count }),
});

const followParcel = defineTool({
  name: "follow_parcel",
  description: "Tell where a parcel is, each time it moves.",
  inputSchema: z.object({ parcel: z.string() }),
  annotations: { idempotent: true },
  dispatch: ({ parcel }, call) => write({ kind: "parcel", address: call.address, parcel }),
});

const store = sqliteStore(database);
const system = await createWhenFree({ model: demoModel(), store, tools: [orderParts, followParcel] });
const stop = async () => {
  await system.stop();
  await store.close();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);

const thread = await system.open("shop/orders");
thread.updates$.subscribe((update) => {
  if (update.type === "round.ended" && update.text !== "") console.log("says:", update.text);
  if (update.type === "state.changed") console.log("state:", update.state);
});
for (const text of texts) await thread.send(text, { whileBusy: "wait" });
