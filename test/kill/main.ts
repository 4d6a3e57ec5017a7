/**
 * `npm run test:kill [KILLS] [SEED]`: kills a runner, a reader and a sender under load at random moments, 100 times by
 * default, and prints what it came to in one line. Ends with 1 when anything was lost, doubled or missed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { besiege } from "./load/siege.ts";
import { summaryOf, wrongIn } from "./load/summary.ts";
import { tallyOf } from "./load/tally.ts";

const [kills = "100", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "wakeful-load-"));
const script = fileURLToPath(new URL("processes/load.ts", import.meta.url));
console.log(`${kills} kills, seed ${seed}`);
const killed = await besiege({ folder, script, kills: Number(kills), seed: Number(seed) });
const tally = await tallyOf(folder);
const wrong = wrongIn(tally);
for (const line of wrong) console.error(line);
console.log(summaryOf(killed, tally));
if (wrong.length > 0) {
  console.error(`The files are left in ${folder}.`);
  process.exitCode = 1;
} else rmSync(folder, { recursive: true });
