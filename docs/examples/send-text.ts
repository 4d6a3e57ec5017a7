import { createSender, InputRefusedError, textFor } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";

const [database = "shop.db", threadId = "", id = "", text = ""] = process.argv.slice(2);

const store = sqliteStore(database);
const sender = createSender(store);
try {
  const isNew = await sender.send(textFor(threadId, text, { id, sender: "front-desk" }));
  console.log(isNew ? "accepted" : "was accepted before");
} catch (error) {
  if (!(error instanceof InputRefusedError)) throw error;
  console.log(error.mayPass ? "try again later:" : "refused:", error.reason);
}
await sender.stop();
await store.close();
