import { setTimeout as after } from "node:timers/promises";
import { createSystem, defineTool, demoModel } from "wakeful";
import { z } from "zod";

const runTests = defineTool({
  name: "run_tests",
  description: "Run the tests of a project.",
  inputSchema: z.object({}),
  run: async (_, call) => {
    call.signal.addEventListener("abort", () => console.log("signal:", call.signal.reason.message));
    await after(3_600_000, undefined, { signal: call.signal });
    return "All tests passed.";
  },
});

const system = await createSystem({ model: demoModel(), tools: [runTests] });
const thread = await system.open("interrupt");

await thread.send("call run_tests");
console.log("state:", await thread.atRest());
for (const { name, status } of thread.view().calls) console.log("waits for:", name, status);

console.log("says:", await thread.ask("say never mind"));

await thread.send("call run_tests");
await thread.atRest();
await thread.interrupt();
console.log("state:", await thread.atRest());

for (const { entry } of await thread.history())
  if (entry.kind === "result") console.log("result:", entry.origin, entry.content);

await system.stop();
