import { answerFor, createSender, createSystem, defineTool, demoModel, memoryStore } from "wakeful";
import { z } from "zod";

const deploy = defineTool({
  name: "deploy",
  description: "Deploy the shop.",
  inputSchema: z.object({}),
  onRestart: "again",
  run: async (_, call) => {
    const where = await call.ask({
      key: "where",
      prompt: "Deploy to which stage?",
      choices: ["test", "live"],
      default: "test",
      expiresAt: Date.now() + 3_600_000,
    });
    return `Deployed to ${where.choice}, as ${where.by ?? "nobody"} said.`;
  },
});

const store = memoryStore();
const system = await createSystem({ model: demoModel(), store, tools: [deploy] });
const thread = await system.open("acme/shop");
await thread.send("call deploy");

// Elsewhere, perhaps in another process: a button that was shown for the question is pressed.
const buttons = createSender(store);
for await (const fact of system.feed()) {
  if (fact.type === "choice.opened") {
    console.log(fact.prompt, fact.choices.join(" or "));
    await buttons.send(answerFor(fact.choiceId, "live", { by: "ann" }));
  }
  if (fact.type === "round.ended" && fact.text !== "") {
    console.log(fact.text);
    break;
  }
}
await system.stop();
