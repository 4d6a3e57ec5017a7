import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { createSender, eventFor, InputRefusedError, textFor } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { z } from "zod";

const [database = "reviews.db", watches = "watches", port = "8080"] = process.argv.slice(2);
const store = sqliteStore(database);
const sender = createSender(store);

const Delivery = z.object({
  id: z.string(),
  action: z.enum(["opened", "force-pushed", "pushed", "closed"]),
  repository: z.string(),
  number: z.int(),
  text: z.string(),
});

/** Resolves once durable: to whether it was new, or to undefined when nobody listens yet. */
const deliver = async ({ id, action, repository, number, text }: z.infer<typeof Delivery>) => {
  const threadId = `${repository}/pull/${number}`;
  if (action === "opened") {
    await sender.open(threadId, { metadata: { repository, number } });
    return sender.send(textFor(threadId, text, { id, sender: "forge", whileBusy: "wait" }));
  }
  const watch = join(watches, encodeURIComponent(threadId));
  if (!existsSync(watch)) return undefined;
  const event = { id, text, associative: true, final: action === "closed" };
  return sender.send(eventFor(readFileSync(watch, "utf8"), event));
};

const server = createServer(async (request, response) => {
  try {
    const isNew = await deliver(Delivery.parse(await json(request)));
    if (isNew === undefined) response.writeHead(503).end("Nobody listens yet: deliver it again.");
    else response.writeHead(202).end(JSON.stringify({ new: isNew }));
  } catch (error) {
    // Anything else but a mistake of the sender may pass, and the delivery comes again.
    const isWrong = error instanceof z.ZodError || (error instanceof InputRefusedError && !error.mayPass);
    response.writeHead(isWrong ? 400 : 503).end(error instanceof Error ? error.message : "");
  }
});
const stop = async () => {
  server.close();
  await sender.stop();
  await store.close();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
server.listen(Number(port), "127.0.0.1", () => console.log("listening on", JSON.stringify(server.address())));
