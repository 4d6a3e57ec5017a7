import { tool } from "ai";
import { createSystem, demoModel, fromAiTool } from "wakeful";
import { z } from "zod";

/** As it stands in a program that uses the AI SDK. */
const convert = tool({
  description: "Convert an amount of money.",
  inputSchema: z.object({ amount: z.number(), to: z.enum(["EUR", "USD"]) }),
  async *execute({ amount, to }, { abortSignal }) {
    yield { asking: "the bank" };
    abortSignal?.throwIfAborted();
    yield { amount: amount * 1.1, to };
  },
  toModelOutput: ({ output }) => ({
    type: "text",
    value: `It is ${"amount" in output ? output.amount : "?"} ${output.to}.`,
  }),
});

const system = await createSystem({
  model: demoModel(),
  tools: [
    fromAiTool("convert", convert, {
      annotations: { readOnly: true },
      display: ({ amount, to }) => `Convert ${amount} to ${to}`,
    }),
  ],
});
const thread = await system.open("bank");
thread.updates$.subscribe((update) => {
  if (update.type === "call.made") console.log("call:", update.display);
  if (update.type === "call.progressed") console.log("progress:", update.text);
});
console.log(await thread.ask('call convert {"amount": 20, "to": "USD"}'));

await system.stop();
