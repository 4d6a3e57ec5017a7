import { createSystem, demoModel } from "wakeful";

const system = await createSystem({ model: demoModel() });
const thread = await system.open("acme/build-42");

const states: string[] = [];
const leave = system.inspect((event) => {
  if (event.type !== "@xstate.snapshot" || event.actorRef.sessionId !== event.rootId) return;
  const { value } = event.snapshot as { value?: unknown };
  states.push(`${event.event.type} leads to ${JSON.stringify(value)}`);
});

console.log("says:", await thread.ask("say hello"));
await system.stop();
leave();
for (const state of states) console.log(state);
