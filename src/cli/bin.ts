#!/usr/bin/env node
import { flushed, processIo } from "./io.ts";
import { main } from "./main.ts";

// A thread may wait for something that Node does not count as work: a promise, a delivery from another process.
setInterval(() => {}, 2 ** 30);
const code = await main(process.argv.slice(2), processIo);
await flushed(process.stdout);
// What a tool left running does not keep the program.
process.exit(code);
