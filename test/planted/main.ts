/**
 * `npm run planted`: plants faults in the runtime, one at a time, and shows that the simulator finds each, with its seed
 * and the shortened story. Arguments narrow: `npm run planted -- lease timer`. Ends with 1 when one is not found.
 */
import { faults } from "./faults.ts";
import { hunt } from "./hunt.ts";

const words = process.argv.slice(2);
const chosen = faults.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
let missed = 0;
for (const fault of chosen) {
  const { failure, stories } = await hunt(fault, "1..3000");
  if (!failure) {
    missed++;
    console.log(`${fault.name}: NOT FOUND in ${stories} stories`);
    continue;
  }
  const { seed, shrunk } = failure;
  const { steps } = shrunk.story;
  console.log(`${fault.name}: found by seed ${seed}, story ${stories}; shortened to ${steps.length} steps`);
  for (const line of [...shrunk.log, ...shrunk.faults]) console.log(`    ${line}`);
}
console.log(`${chosen.length - missed} of ${chosen.length} planted faults were found.`);
process.exitCode = missed > 0 ? 1 : 0;
