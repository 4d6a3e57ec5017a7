import { createSender, createSystem, defineTool, demoModel, memoryStore, resultFor } from "wakeful";
import { z } from "zod";

/** What the deployment service keeps of each job: where its result belongs. */
const jobs = new Map<string, string>();

const deploy = defineTool({
  name: "deploy",
  description: "Deploy a version of the shop.",
  inputSchema: z.object({ version: z.string() }),
  approval: "allow",
  annotations: { destructive: true, idempotent: true, longRunning: true },
  deadline: 3_600_000,
  dispatch: async ({ version }, call) => {
    call.progress(`${version} is in the queue`);
    jobs.set("job-1", call.address);
  },
});

const store = memoryStore();
const system = await createSystem({ model: demoModel(), store, tools: [deploy] });
const thread = await system.open("shop/deploy");
thread.updates$.subscribe((update) => {
  if (update.type === "call.progressed") console.log("progress:", update.text);
  if (update.type === "input.discarded") console.log("discarded:", update.kind, update.reason);
  if (update.type === "round.ended" && update.text !== "") console.log("says:", update.text);
});

await thread.send('call deploy {"version": "v7"}');
console.log("state:", await thread.atRest());

/** Runs in the service, in another process perhaps; it needs the store and the address. */
const onWebhook = async (job: string, text: string) => {
  const sender = createSender(store);
  const isNew = await sender.send(resultFor(jobs.get(job) ?? "", text));
  await sender.stop();
  return isNew;
};
console.log("new:", await onWebhook("job-1", "v7 is live."));
console.log("state:", await thread.atRest());
console.log("new:", await onWebhook("job-1", "v7 is live."));
console.log("new:", await onWebhook("job-1", "v7 was rolled back."));
console.log("state:", await thread.atRest());

await system.stop();
