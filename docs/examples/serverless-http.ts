import { createServer } from "node:http";
import { createSystem, textFor } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { scriptedModel } from "wakeful/testing";

const store = sqliteStore(":memory:");
const system = await createSystem({ model: scriptedModel(() => "Noted."), store, resident: false });

/** POST /THREAD with a text runs one slice of that thread, and keeps nothing in memory. */
const server = createServer(async (request, response) => {
  const id = (request.url ?? "/").slice(1);
  let body = "";
  for await (const piece of request) body += piece;
  await system.open(id);
  const { threads, wake, timers } = await system.slices([textFor(id, body)]);
  // What the caller brings back: `slices([{ threadId }])`, now for `wake`, at their instant for `timers`.
  response.end(JSON.stringify({ state: threads[0]?.state, wake, timers }));
});
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address() as { port: number };
  const answer = await fetch(`http://127.0.0.1:${port}/garden`, { method: "POST", body: "I sowed tomatoes." });
  console.log(await answer.text());
  const thread = await system.thread("garden");
  console.log((await thread?.history())?.map(({ entry }) => entry.kind));
  server.close();
  await system.stop();
  await store.close();
});
