import { readFileSync } from "node:fs";
import { createSender, eventFor, resultFor } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";

const [database = "shop.db", orders = "orders.jsonl"] = process.argv.slice(2);

const store = sqliteStore(database);
const sender = createSender(store);

for (const line of readFileSync(orders, "utf8").split("\n").slice(0, -1)) {
  const { kind, address, part, count, parcel } = JSON.parse(line);
  if (kind === "parts") {
    const isNew = await sender.send(resultFor(address, `${count} ${part} are on their way.`));
    console.log(part, isNew ? "sent" : "were sent before");
    continue;
  }
  // The first result says that events follow; the ids of events keep them from arriving twice.
  await sender.send(resultFor(address, `Following parcel ${parcel}.`, { subscription: true }));
  await sender.send(eventFor(address, { id: "depot", text: "It left the depot.", associative: true }));
  const text = "It was handed over.";
  const isNew = await sender.send(eventFor(address, { id: "door", text, associative: true, final: true }));
  console.log(parcel, isNew ? "delivered" : "was delivered before");
}

await sender.stop();
await store.close();
