import { simulate } from "wakeful/testing";

const report = await simulate({ seeds: [1, 2, 3], crashes: true });
console.log(`${report.stories} stories, ${report.crashPoints.of} places where a process can end`);
if (report.failure) {
  const { seed, shrunk } = report.failure;
  console.log(`seed ${seed}:`, ...shrunk.faults);
} else {
  console.log("no rule is broken");
}
