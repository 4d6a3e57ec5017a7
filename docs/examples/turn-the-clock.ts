import { createSystem, demoModel } from "wakeful";
import { virtualClock } from "wakeful/testing";

const clock = virtualClock(Date.UTC(2030, 0, 1));
const system = await createSystem({ model: demoModel(), clock });
const thread = await system.open("reminders");
thread.updates$.subscribe((update) => {
  if (update.type === "round.ended" && update.text !== "") console.log(new Date(update.at).toISOString(), update.text);
});

await thread.send("sleep 604800 then say a week is over");
console.log("state:", await thread.atRest());
await clock.advance(604_800_000);
console.log("state:", await thread.atRest());

await system.stop();
