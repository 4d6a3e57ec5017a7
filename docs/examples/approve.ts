import { createSystem, defineTool, demoModel } from "wakeful";
import { z } from "zod";

const dropTable = defineTool({
  name: "drop_table",
  description: "Drop a table of the database.",
  inputSchema: z.object({ table: z.string() }),
  annotations: { destructive: true },
  needsApproval: ({ table }) => !table.startsWith("tmp_"),
  run: async ({ table }) => `${table} is gone.`,
});

const system = await createSystem({ model: demoModel(), tools: [dropTable] });
const thread = await system.open("acme/database");

thread.updates$.subscribe((update) => {
  if (update.type === "choice.opened") console.log(`? ${update.prompt} (${update.choices.join(" | ")})`);
  if (update.type === "choice.closed") console.log(`  ${update.outcome}: ${update.choice}`);
  if (update.type === "call.settled") console.log(update.content.map((item) => "text" in item && item.text).join());
});

/** What a person does who sees the question. */
const say = async (choice: string, reason?: string): Promise<void> => {
  const [question] = await thread.choices();
  if (question) await thread.answer(question.choiceId, choice, { by: "ann", ...(reason && { reason }) });
};
const rest = () => new Promise<void>((resolve) => thread.state$.subscribe((state) => state === "idle" && resolve()));

await thread.send('call drop_table {"table":"orders"}');
await thread.atRest();
await say("deny", "not on a Friday");
await rest();

await thread.send('call drop_table {"table":"orders"}');
await thread.atRest();
await say("approve");
await rest();

await system.stop();
