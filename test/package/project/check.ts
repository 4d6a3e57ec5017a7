import { createSystem, defineTool, demoModel, fromAiTool, type Thread, type Tool } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { scriptedModel, storeSuite, virtualClock } from "wakeful/testing";
import { z } from "zod";

const double: Tool = defineTool({
  name: "double",
  description: "Double a number.",
  inputSchema: z.object({ number: z.number() }),
  run: ({ number }, call) => {
    call.signal.throwIfAborted();
    // @ts-expect-error: the schema says that it is a number
    number.trim();
    return number * 2;
  },
});
const foreign = fromAiTool("foreign", { inputSchema: z.object({}), execute: async () => "done" });

const system = await createSystem({
  model: demoModel(),
  store: sqliteStore("threads.db", { synchronous: "normal" }),
  clock: virtualClock(),
  tools: [double, foreign],
});
const thread: Thread = await system.open("first");
const answer: string = await thread.ask("hello");
for await (const update of thread.updates()) if (update.type === "call.settled") console.log(update.origin, answer);

// @ts-expect-error: a system needs a model
await createSystem({});

export const forTests = [scriptedModel([answer]), storeSuite(() => sqliteStore(":memory:"))];
