import { createSystem, demoModel, type Thread } from "wakeful";
import { checkStock } from "./check-stock.ts";

/** Prints what happens, until the thread is idle. */
const watch = async (thread: Thread) => {
  for await (const update of thread.updates()) {
    if (update.type === "call.made") console.log("call:", update.display);
    if (update.type === "call.settled") console.log("result:", update.origin, update.content);
    if (update.type === "round.ended" && update.text !== "") console.log("says:", update.text);
    if (update.type === "state.changed") console.log(`[${update.state}]`);
    if (update.type === "state.changed" && update.state === "idle") return;
  }
};

const system = await createSystem({ model: demoModel(), tools: [checkStock] });
const thread = await system.open("shop/stock");

const watching = watch(thread);
const isNew = await thread.send('call check_stock {"product": "apples"}', { id: "order-17" });
await watching;
console.log("new:", isNew);

const isNewAgain = await thread.send('call check_stock {"product": "apples"}', { id: "order-17" });
console.log("new:", isNewAgain);

await system.stop();
