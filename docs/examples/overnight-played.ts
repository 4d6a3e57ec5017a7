import { memoryStore, silentLogger } from "wakeful";
import { virtualClock } from "wakeful/testing";
import { overnight, researcher } from "./overnight.ts";
import { scriptedResearcher } from "./overnight-script.ts";

const minute = 60_000;
const clock = virtualClock(Date.UTC(2030, 0, 1, 22));
const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 16);

// The model cannot be reached from 22:50 to 02:00.
const model = scriptedResearcher(
  () => clock.now() >= Date.UTC(2030, 0, 1, 22, 50) && clock.now() < Date.UTC(2030, 0, 2, 2),
);
const minutes: Record<string, number> = { glaciers: 20, tides: 45, storms: 70 };
const library = {
  search: (topic: string) =>
    new Promise<string>((resolve) =>
      clock.setTimeout(() => resolve(`All about ${topic}.`), (minutes[topic] ?? 0) * minute),
    ),
  publish: async () => "It is published.",
};

const store = memoryStore();
const start = () => researcher(library, { model, store, clock, logger: silentLogger, random: () => 0.5 });
const first = await start();
const evening = overnight(first, "2030-01-01", Object.keys(minutes));
await clock.advance(180 * minute);
await first.stop();
console.log("the first process ends at 01:00; its report:", await evening);

const second = await start();
const morning = overnight(second, "2030-01-01", Object.keys(minutes));
await clock.advance(480 * minute);
await second.stop();
console.log("the second process ends at 09:00; its report:", await morning);
console.log();

const names = new Map([["research/2030-01-01", "night"]]);
const seen = ["call.made", "call.settled", "failure", "child.opened", "child.ended"] as const;
for await (const fact of second.feed({ where: { types: seen } })) {
  const line = [timeOf(fact.at), names.get(fact.threadId) ?? ""];
  if (fact.type === "child.opened") names.set(fact.childId, `  child ${names.size}`);
  if (fact.type === "call.made" && !["spawn_thread", "close_thread"].includes(fact.name)) line.push(fact.display);
  if (fact.type === "call.settled" && fact.name === "search") line.push("found something");
  if (fact.type === "failure") line.push(fact.code);
  if (fact.type === "child.opened") line.push(`opens${names.get(fact.childId)?.slice(1)}`);
  if (fact.type === "child.ended") line.push(`hears of the end of${names.get(fact.childId)?.slice(1)}`);
  if (line.length > 2) console.log(line.join(" "));
}
