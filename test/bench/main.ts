import { unchangedConfiguration } from "./configured.ts";
import { durableFull, durableNormal } from "./durable.ts";
import { eventBurst, subscriptionEvents } from "./events.ts";
import { childOfLongThread, spawningInMemory, spawningOnDisk } from "./family.ts";
import { flatInMemory, flatOnDisk } from "./flatness.ts";
import { generateTextLoop } from "./generate-text.ts";
import { idleHeap } from "./heap.ts";
import { hibernatedHeap, startUp, waking } from "./hibernation.ts";
import { langGraph } from "./langgraph.ts";
import { manyInMemory, manyOnDisk } from "./many.ts";
import { opening } from "./opening.ts";
import { flatOvernight } from "./overnight.ts";
import { roundTrip, silentRoundTrip } from "./round-trip.ts";
import { simulatedStory } from "./simulated.ts";
import { steppedSlice } from "./step.ts";
import { manyViewers } from "./viewers.ts";

/** Every figure is a ratio of medians from one process; absolute times mean little on a shared machine. */
const benches: Readonly<Record<string, (asked: { readonly byName: boolean }) => Promise<boolean>>> = {
  "round-trip": roundTrip,
  "silent-round-trip": silentRoundTrip,
  flatness: flatInMemory,
  "durable-normal": durableNormal,
  "durable-full": durableFull,
  "durable-flatness": flatOnDisk,
  threads: manyInMemory,
  "durable-threads": manyOnDisk,
  "simulated-story": simulatedStory,
  heap: idleHeap,
  opening,
  "generate-text": generateTextLoop,
  spawning: spawningInMemory,
  "durable-spawning": spawningOnDisk,
  "child-of-long-thread": childOfLongThread,
  "subscription-events": subscriptionEvents,
  "event-burst": eventBurst,
  configuration: unchangedConfiguration,
  viewers: manyViewers,
  waking,
  "hibernated-heap": hibernatedHeap,
  "start-up": startUp,
  step: steppedSlice,
  overnight: flatOvernight,
  langgraph: langGraph,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. There are ${Object.keys(benches).join(", ")}.`);
  process.exit(2);
}
let holds = true;
for (const [name, bench] of Object.entries(benches))
  if (asked.length === 0 || asked.includes(name)) holds = (await bench({ byName: asked.length > 0 })) && holds;
process.exitCode = holds ? 0 : 1;
