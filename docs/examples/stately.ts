import { createWebSocketInspector } from "@statelyai/inspect";
import { createSystem, demoModel } from "wakeful";

const inspector = createWebSocketInspector({ url: process.argv[2] ?? "ws://localhost:8080" });
const system = await createSystem({ model: demoModel(), inspect: inspector.inspect });
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    await system.stop();
    inspector.stop();
  });

const thread = await system.open("acme/build-42");
console.log(await thread.ask("say hello"));
