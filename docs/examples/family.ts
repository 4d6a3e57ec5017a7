import { createSystem, demoModel, InputRefusedError } from "wakeful";
import { calculate } from "./calculator.ts";

const system = await createSystem({ model: demoModel(), tools: [calculate] });
const id = "acme/lead";
const lead = await system.open(id, {
  instructions: `Your thread id is ${id}. Your full thread stack, root first, is ["${id}"].`,
});
lead.treeUpdates$.subscribe((update) => {
  const who = update.threadId === lead.id ? "lead" : "child";
  if (who === "lead" && update.type === "round.ended" && update.text !== "") console.log("lead:", update.text);
  if (update.type === "state.changed" && update.state === "closed") console.log(who, "has closed");
});

await lead.send("split: add 2 and 3 | sleep 3600 then say good morning");
await lead.atRest({ tree: true });

const [sleeper] = lead.view().children;
const child = await system.thread(sleeper?.threadId ?? "");
console.log("still open:", child?.state, "below", child?.view().opening?.parent);

await lead.halt();
await lead.atRest({ tree: true });
console.log("halted:", lead.view().halted, child?.view().halted);

await lead.ask("say let us go on");
await lead.atRest({ tree: true });
console.log("halted:", lead.view().halted, child?.view().halted);

await lead.close();
await lead.atRest({ tree: true });
await child?.send("are you there?").catch((error) => {
  if (error instanceof InputRefusedError) console.log("refused:", error.reason);
});

await system.stop();
