import { createSystem } from "wakeful";
import { scriptedModel, virtualClock } from "wakeful/testing";

const until = (date: string, time: string, timezone: string) => ({
  calls: [{ name: "sleep_until", args: { date, time, timezone } }],
});
const model = scriptedModel([
  until("2026-12-07", "09:00", "Europe/Berlin"),
  until("2026-03-29", "02:30", "Europe/Berlin"),
  until("2026-10-25", "02:30", "Europe/Berlin"),
  until("2026-02-30", "25:00", "Berlin"),
  "Good morning.",
]);

const clock = virtualClock(Date.parse("2026-12-04T15:00:00Z"));
const system = await createSystem({ model, clock });
const thread = await system.open("acme/alarm");
await thread.send("Wake me on Monday.");
await thread.atRest();
console.log(`state: ${thread.state}\n`);

await clock.advance(3 * 24 * 3_600_000);
await thread.atRest();
for (const { entry } of await thread.history())
  if (entry.kind === "result")
    for (const item of entry.content) if (item.type === "text") console.log(`${entry.origin}: ${item.text}\n`);

await system.stop();
