import { createSystem, defineTool, demoModel, eventFor, resultFor } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { z } from "zod";

const file = process.argv[2] ?? ":memory:";

/** What the services keep: where results and events belong. */
const addresses = new Map<string, string>();
const deploy = defineTool({
  name: "deploy",
  description: "Deploy a version of the shop.",
  inputSchema: z.object({ version: z.string() }),
  deadline: 3_600_000,
  dispatch: async (_, call) => {
    addresses.set("deploy", call.address);
  },
});
const watchMailbox = defineTool({
  name: "watch_mailbox",
  description: "Tell of each mail that arrives.",
  inputSchema: z.object({}),
  dispatch: async (_, call) => {
    addresses.set("mailbox", call.address);
  },
});

const system = await createSystem({
  model: demoModel(),
  store: sqliteStore(file),
  tools: [deploy, watchMailbox],
});

const shop = await system.open("acme/shop", { instructions: "Be brief.", metadata: { tenant: "acme" } });
await shop.send("call watch_mailbox", { id: "slack-1" });
await shop.atRest();
const mailbox = addresses.get("mailbox") ?? "";
await system.deliver(resultFor(mailbox, "Watching.", { subscription: true }));
await shop.atRest();
await shop.send('call deploy {"version": "v7"}', { id: "slack-2" });
await shop.atRest();
await system.deliver(eventFor(mailbox, { id: "mail-1", text: "Where is my order?", associative: true }));

const nap = await system.open("acme/nap");
await nap.send("sleep 86400 then say hi");
await nap.atRest();

await system.stop();
