import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { createSender, eventFor, InputRefusedError } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";

const [database = "team.db", subscribers = "subscribers.jsonl", port = "8080"] = process.argv.slice(2);

const store = sqliteStore(database);
const sender = createSender(store);

/** The addresses of the calls that watch a repository. */
const addressesOf = (repository: string): ReadonlySet<string> => {
  const lines = existsSync(subscribers) ? readFileSync(subscribers, "utf8").split("\n").slice(0, -1) : [];
  const entries = lines.map((line) => JSON.parse(line));
  return new Set(entries.filter((entry) => entry.repository === repository).map(({ address }) => address));
};

const server = createServer(async (request, response) => {
  const repository = request.url?.slice(1) ?? "";
  const { "x-delivery": id, "x-event": kind } = request.headers;
  if (typeof id !== "string") return void response.writeHead(400).end("A delivery has an id: x-delivery.");
  try {
    const event = { id, text: await text(request), final: kind === "deleted" };
    const sent = [...addressesOf(repository)].map((address) => sender.send(eventFor(address, event)));
    const news = await Promise.all(sent);
    // What was sent is durable: only now may the other side forget it.
    response.writeHead(202).end(JSON.stringify({ heard: news.filter((isNew) => isNew).length }));
  } catch (error) {
    // A full inbox has room later, and the delivery comes again; a closed thread never takes it.
    const mayPass = !(error instanceof InputRefusedError) || error.mayPass;
    response.writeHead(mayPass ? 503 : 410).end(error instanceof Error ? error.message : "");
  }
});

server.listen(Number(port), "127.0.0.1", () => {
  const address = server.address();
  console.log("listening on", typeof address === "object" ? address?.port : address);
});
const stop = async () => {
  server.close();
  server.closeIdleConnections();
  await sender.stop();
  await store.close();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
