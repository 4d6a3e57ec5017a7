import { createSystem, demoModel } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";

const file = process.argv[2] ?? ":memory:";

const first = await createSystem({ model: demoModel(), store: sqliteStore(file) });
const thread = await first.open("acme/build-42");
console.log(await thread.ask("say hello"));
await first.stop();

const next = await createSystem({ model: demoModel(), store: sqliteStore(file) });
const again = await next.open("acme/build-42");
console.log(`entries that are there: ${(await again.history()).length}`);
await next.stop();
