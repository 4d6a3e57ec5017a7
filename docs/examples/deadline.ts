import { createSystem, defineTool, demoModel } from "wakeful";
import { z } from "zod";

const askOracle = defineTool({
  name: "ask_oracle",
  description: "Ask the oracle, which may not answer.",
  inputSchema: z.object({}),
  deadline: 1_000,
  dispatch: (_, call) => {
    call.signal.addEventListener("abort", () => console.log("signal:", call.signal.reason.message));
  },
});

const system = await createSystem({ model: demoModel(), tools: [askOracle] });
const thread = await system.open("oracle");

console.log(await thread.ask("call ask_oracle"));

await system.stop();
