import { createSystem, demoModel } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { scriptedModel } from "wakeful/testing";

/** Asks one thread on disk, and a scripted model. Prints the Node it ran on, and both answers. */
const answers = [];
for (const options of [
  { model: demoModel(), store: sqliteStore(process.argv[2] ?? ":memory:") },
  { model: scriptedModel(["scripted"]) },
]) {
  const system = await createSystem(options);
  const thread = await system.open("first");
  answers.push(await thread.ask("say hello"));
  await system.stop();
}
console.log(JSON.stringify({ node: process.versions.node.split(".")[0], answers }));
