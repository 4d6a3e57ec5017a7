import { answerFor, createSender } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";

const [database = "bot.db", tenant = "", question = "", choice = "", by = "", press = ""] = process.argv.slice(2);

// The id of a question begins with its thread, and that with the tenant: nobody answers for another one.
if (!question.startsWith(`${tenant}/`)) {
  console.log("refused");
  process.exit(1);
}

const store = sqliteStore(database);
const sender = createSender(store);
const isNew = await sender.send(answerFor(question, choice, { by, id: press }));
console.log(isNew ? "heard" : "was heard before");
await sender.stop();
await store.close();
