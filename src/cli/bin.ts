#!/usr/bin/env node
// The version first: what is imported below needs it, and would fail with a message that does not say so.
const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  console.error(
    `wakeful needs Node 24 or newer, and this is ${process.versions.node}. Put a newer Node first on your PATH, or install one beside wakeful: npm install node@26. In a clone of wakeful, run npm ci without --ignore-scripts.`,
  );
  process.exit(1);
}
const { flushed, processIo } = await import("./io.ts");
const { main } = await import("./main.ts");

// A thread may wait for something that Node does not count as work: a promise, a delivery from another process.
setInterval(() => {}, 2 ** 30);
const code = await main(process.argv.slice(2), processIo);
await flushed(process.stdout);
// What a tool left running does not keep the program.
process.exit(code);

export {};
