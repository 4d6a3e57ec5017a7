import { createSystem, defineTool, demoModel } from "wakeful";
import { z } from "zod";

const getBuildStatus = defineTool({
  name: "get_build_status",
  description: "Return the current status of a build.",
  inputSchema: z.object({ build_id: z.string() }),
  run: async ({ build_id }) => `Build ${build_id} is green.`,
});

const system = await createSystem({ model: demoModel(), tools: [getBuildStatus] });
const thread = await system.open("acme/build-42");

console.log(await thread.ask("Is build 42 done?"));
for (const { entry } of await thread.history()) console.log("-", entry.kind);

await system.stop();
