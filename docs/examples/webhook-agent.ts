import { appendFileSync } from "node:fs";
import { defineTool, demoModel } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { z } from "zod";
import { createWhenFree } from "./when-free.ts";

const [database = "team.db", subscribers = "subscribers.jsonl", ...texts] = process.argv.slice(2);

const watchRepository = defineTool({
  name: "watch_repository",
  description: "Tell of each push to a repository, in a child thread of its own.",
  inputSchema: z.object({ repository: z.string().regex(/^[\w.-]+$/) }),
  // After a crash the address is perhaps written twice, and the same result is sent again and dropped.
  annotations: { idempotent: true },
  dispatch: async ({ repository }, call) => {
    appendFileSync(subscribers, `${JSON.stringify({ repository, address: call.address })}\n`, { flush: true });
    await call.sender.send(call.result(`Watching ${repository}.`, { subscription: true }));
  },
});

const store = sqliteStore(database);
const system = await createWhenFree({ model: demoModel(), store, tools: [watchRepository] });
const stop = async () => {
  await system.stop();
  await store.close();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);

const thread = await system.open("team/pushes");
thread.treeUpdates$.subscribe((update) => {
  const who = update.threadId === thread.id ? "agent" : "child";
  if (update.type === "round.ended" && update.text !== "") console.log(`${who}:`, update.text);
  if (update.type === "state.changed" && update.state !== "running") console.log(`${who}: [${update.state}]`);
  if (update.type === "input.discarded") console.log(`${who}: discarded,`, update.reason);
});
for (const text of texts) await thread.send(text, { whileBusy: "wait" });
console.log("ready");
