import { createSystem, defineTool, demoModel, eventFor, resultFor } from "wakeful";
import { z } from "zod";

const subscribers = new Map<string, string>();

/** A subscription whose events somebody else delivers: the result says that events follow. */
const watchMailbox = defineTool({
  name: "watch_mailbox",
  description: "Tell of each mail that arrives at an address.",
  inputSchema: z.object({ mailbox: z.email() }),
  dispatch: async ({ mailbox }, call) => {
    subscribers.set(mailbox, call.address);
  },
});

const system = await createSystem({ model: demoModel(), tools: [watchMailbox] });
const thread = await system.open("mail");
thread.updates$.subscribe((update) => {
  if (update.type === "round.ended" && update.text !== "") console.log("says:", update.text);
});

await thread.send('call watch_mailbox {"mailbox": "shop@example.com"}');
await thread.atRest();
const address = subscribers.get("shop@example.com") ?? "";

await system.deliver(resultFor(address, "Watching.", { subscription: true }));
console.log("state:", await thread.atRest());

await system.deliver(eventFor(address, { id: "mail-1", text: "Where is my order?", associative: true }));
console.log("state:", await thread.atRest());

await system.deliver(eventFor(address, { id: "end", text: "The mailbox closed.", associative: true, final: true }));
console.log("state:", await thread.atRest());

await system.stop();
