/**
 * `npm run test:kill [KILLS] [SEED]`: kills the runner of a busy store at random moments, 300 times by default, and a reader
 * and a sender beside it, and prints what it came to in one line. Ends with 1 when anything was lost, doubled or missed, or
 * when the load did not meet everything that it is for.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { besiege } from "./load/siege.ts";
import { summaryOf, unmetIn, wrongIn } from "./load/summary.ts";
import { tallyOf } from "./load/tally.ts";

/** Kills between two lines for a person who waits. */
const progressEvery = 25;

const [kills = "300", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "wakeful-load-"));
const script = fileURLToPath(new URL("processes/load.ts", import.meta.url));
console.log(`${kills} kills, seed ${seed}`);
const killed = await besiege({
  folder,
  script,
  kills: Number(kills),
  seed: Number(seed),
  onKill(count) {
    if (count % progressEvery === 0) console.log(`killed ${count} times`);
  },
});
const tally = await tallyOf(folder);
const unmet = unmetIn(tally).map((name) => `the load met no ${name}: kill more often`);
const wrong = [...wrongIn(tally), ...unmet];
for (const line of wrong) console.error(line);
console.log(summaryOf(killed, tally));
if (wrong.length > 0) {
  console.error(`The files are left in ${folder}.`);
  process.exitCode = 1;
} else rmSync(folder, { recursive: true });
