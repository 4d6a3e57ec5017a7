import { durableFull, durableNormal } from "./durable.ts";
import { flatInMemory, flatOnDisk } from "./flatness.ts";
import { roundTrip, silentRoundTrip } from "./round-trip.ts";

/** Every figure is a ratio of medians from one process; absolute times mean little on a shared machine. */
const benches: Readonly<Record<string, () => Promise<boolean>>> = {
  "round-trip": roundTrip,
  "silent-round-trip": silentRoundTrip,
  flatness: flatInMemory,
  "durable-normal": durableNormal,
  "durable-full": durableFull,
  "durable-flatness": flatOnDisk,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. There are ${Object.keys(benches).join(", ")}.`);
  process.exit(2);
}
let holds = true;
for (const [name, bench] of Object.entries(benches))
  if (asked.length === 0 || asked.includes(name)) holds = (await bench()) && holds;
process.exitCode = holds ? 0 : 1;
