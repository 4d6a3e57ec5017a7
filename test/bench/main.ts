import { flatness, roundTrip, silentRoundTrip } from "./round-trip.ts";

/** Every figure is a ratio of medians from one process; absolute times mean little on a shared machine. */
const benches = { "round-trip": roundTrip, "silent-round-trip": silentRoundTrip, flatness };

const asked = process.argv.slice(2);
let holds = true;
for (const [name, bench] of Object.entries(benches))
  if (asked.length === 0 || asked.includes(name)) holds = (await bench()) && holds;
process.exitCode = holds ? 0 : 1;
