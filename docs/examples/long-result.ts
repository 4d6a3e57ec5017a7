import { createSystem, defineTool } from "wakeful";
import { scriptedModel } from "wakeful/testing";
import { z } from "zod";

const log = Array.from({ length: 5_000 }, (_, line) => `line ${line}: all is well`).join("\n");
const readLog = defineTool({
  name: "read_log",
  description: "Read the log of a build.",
  inputSchema: z.object({}),
  annotations: { readOnly: true },
  run: async () => ({
    content: log,
    display: [
      { type: "diff", content: { path: "build.log", patch: "+ line 4999: all is well" } },
      { type: "text", content: "The log has 5,000 lines." },
    ],
  }),
});

// Stands for a model: it reads the log, then the part of it that it was not shown.
const model = scriptedModel([
  { calls: [{ id: "c1", name: "read_log", args: {} }] },
  { calls: [{ id: "c2", name: "read_result", args: { tool_call_id: "c1", from: 60_000, length: 25 } }] },
  "All is well, also in the middle.",
]);
const system = await createSystem({ model, tools: [readLog] });
const thread = await system.open("acme/log");
thread.updates$.subscribe((update) => {
  if (update.type === "call.settled") console.log(`for people: ${JSON.stringify(update.display?.at(-1) ?? null)}`);
});
await thread.ask("What does the log say?");

for (const { prompt } of model.requests.slice(1)) {
  const result = prompt.at(-1)?.content[0];
  const text =
    typeof result === "object" && "output" in result && "value" in result.output ? String(result.output.value) : "";
  console.log(`for the model, ${text.length} characters: ${/\[[^\]]*\]/.exec(text)?.[0]}`);
}
await system.stop();
