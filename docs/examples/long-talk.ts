import { createSystem } from "wakeful";
import { scriptedModel } from "wakeful/testing";

/** Counts as a provider would: a model of a small window, so that a short talk fills it. */
const model = scriptedModel(({ prompt }) => {
  const last = JSON.stringify(prompt.at(-1)?.content);
  if (last.includes("Summarise the conversation")) return "The user plants tomatoes on a balcony in Oslo.";
  return { text: "Noted.", usage: { total_tokens: 20 * prompt.length } };
});

const system = await createSystem({ model, modelOptions: { contextWindow: 100 } });
const thread = await system.open("garden");
for (const text of ["I live in Oslo.", "I have a balcony.", "I want tomatoes.", "When do I sow?"])
  await thread.ask(text);
console.log(`entries in the history: ${(await thread.history()).length}`);
const request = model.requests.at(-1)?.prompt ?? [];
for (const { role, content } of request) console.log(role, JSON.stringify(content));
console.log(await thread.compact());
await system.stop();
