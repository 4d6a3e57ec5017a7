import { z } from "zod";
import { demoModel } from "../../../src/model/demo/demo-model.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { createSystem } from "../../../src/system/create.ts";
import { eventFor, resultFor } from "../../../src/tool/address.ts";
import { defineTool } from "../../../src/tool/define.ts";

/**
 * Runs threads on the file named first until standard input ends: one that waits for a call by hand, with a subscription and
 * inputs held back; one that sleeps; two at rest. Says so with a line once they are there.
 */
const addresses = new Map<string, string>();
const byHand = (name: string, key: string) =>
  defineTool({
    name,
    description: name,
    inputSchema: z.object({ [key]: z.string() }),
    display: (args) => `${name} of ${args[key]}`,
    deadline: 3_600_000,
    dispatch: async (_, call) => {
      addresses.set(name, call.address);
    },
  });

const system = await createSystem({
  model: demoModel(),
  store: sqliteStore(process.argv[2] ?? "", { synchronous: "normal" }),
  tools: [byHand("watch_mailbox", "mailbox")],
  toolbox: [byHand("deploy", "version")],
});
const thread = await system.open("acme/build-42", {
  tools: ["deploy"],
  instructions: "Be brief.",
  metadata: { tenant: "acme" },
});
await thread.send('call watch_mailbox {"mailbox": "shop@example.com"}', { id: "first" });
await thread.atRest();
const mailbox = addresses.get("watch_mailbox") ?? "";
await system.deliver(resultFor(mailbox, "Watching.", { subscription: true }));
await thread.atRest();
await system.deliver(eventFor(mailbox, { id: "mail-1", text: "Hello, \u001b[2Jshop.", associative: true }));
await thread.atRest();
await thread.send('call deploy {"version": "v7"}');
await thread.atRest();
await system.deliver(eventFor(mailbox, { id: "mail-2", text: "Where is \u009b31mmy order?", associative: true }));
await thread.send("when you have time, say hi", { id: "later", whileBusy: "wait" });

await (await system.open("acme/asleep")).send("sleep 3600 seconds then say hi");
await (await system.open("acme/idle")).ask("say hello");
await (await system.open(`acme/${"long-".repeat(38)}end`)).ask("say hello");
await (await system.open("acme/asleep")).atRest();

console.log("at work");
process.stdin.resume().on("end", async () => {
  await system.stop();
  process.exit();
});
