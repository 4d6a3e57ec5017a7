import { createSystem, defineTool, demoModel, type Logger } from "wakeful";
import { z } from "zod";

const line =
  (level: string) =>
  ({ stack: _, ...fields }: Record<string, unknown>, msg: string) =>
    console.log(JSON.stringify({ level, msg, ...fields }));
const logger = {
  debug: () => {},
  info: line("info"),
  warn: line("warn"),
  error: line("error"),
} as Logger;

const fail = defineTool({
  name: "fail",
  description: "Fails.",
  inputSchema: z.object({}),
  run: () => {
    throw new Error("the disk of the printer is full");
  },
});

const system = await createSystem({ model: demoModel(), tools: [fail], logger, random: () => 0.5 });
const thread = await system.open("printer");
console.log(await thread.ask("call fail"));
await system.stop();
