import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable, Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { demoModel, InputRefusedError, SystemStoppedError, ThreadIdError } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { createWhenFree } from "./when-free.ts";

const [database = ":memory:", port = "8080"] = process.argv.slice(2);

const store = sqliteStore(database);
const system = await createWhenFree({ model: demoModel(), store });

/** What was said is safe once this answers. A client that got no answer sends it again under the same key. */
const send = async (id: string, request: IncomingMessage): Promise<object> => {
  const thread = await system.open(id);
  const key = request.headers["idempotency-key"];
  return { new: await thread.send(await text(request), typeof key === "string" ? { id: key } : {}) };
};

/** Live updates as server-sent events, until the client goes or the system stops; a slow client gets a `gap`. */
const watch = async (id: string, response: ServerResponse): Promise<void> => {
  const thread = await system.open(id);
  response.writeHead(200, { "content-type": "text/event-stream", connection: "close" }).flushHeaders();
  const events = new Transform({
    writableObjectMode: true,
    transform: (update, _, done) => done(null, `data: ${JSON.stringify(update)}\n\n`),
  });
  await pipeline(Readable.from(thread.updates()), events, response);
};

const statusOf = (error: unknown): number => {
  if (error instanceof ThreadIdError) return 400;
  if (error instanceof InputRefusedError) return error.mayPass ? 429 : 400;
  return error instanceof SystemStoppedError ? 503 : 500;
};

const server = createServer(async (request, response) => {
  const [, id = ""] = /^\/threads\/(.+)$/.exec(decodeURI(request.url ?? "")) ?? [];
  try {
    if (request.method === "GET") return await watch(id, response);
    const accepted = await send(id, request);
    response.writeHead(202).end(JSON.stringify(accepted));
  } catch (error) {
    if (!response.headersSent) response.writeHead(statusOf(error));
    response.end(error instanceof Error ? error.message : "");
  }
});

/** No new requests; commits end; who watches has its stream ended. A client that does not read is cut off in the end. */
const stop = async (): Promise<void> => {
  server.close();
  await system.stop();
  await store.close();
  setTimeout(() => server.closeAllConnections(), 2_000).unref();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);

server.listen(Number(port), () => {
  const address = server.address();
  console.log("listening on", typeof address === "object" ? address?.port : address);
});
