import { once } from "node:events";
import { filter, firstValueFrom } from "rxjs";
import { createSystem, defineTool, demoModel } from "wakeful";
import { z } from "zod";

const mails = new EventTarget();

const waitForMail = defineTool({
  name: "wait_for_mail",
  description: "Wait until a mail arrives. Anything else that happens ends the wait early.",
  inputSchema: z.object({}),
  passive: true,
  run: async (_, call) => {
    await once(mails, "mail", { signal: call.signal });
    return "A mail arrived.";
  },
});

const system = await createSystem({ model: demoModel(), tools: [waitForMail] });
const thread = await system.open("mail/wait");

await thread.send("call wait_for_mail");
console.log("state:", await thread.atRest());
console.log("says:", await thread.ask("say hello"));

await thread.send("call wait_for_mail");
console.log("state:", await thread.atRest());
mails.dispatchEvent(new Event("mail"));
await firstValueFrom(thread.state$.pipe(filter((state) => state === "idle")));

for (const { entry } of await thread.history())
  if (entry.kind === "result") console.log("result:", entry.origin, entry.content);

await system.stop();
