#!/usr/bin/env node
import { flushed, processIo } from "./io.ts";
import { main } from "./main.ts";

const code = await main(process.argv.slice(2), processIo);
await flushed(process.stdout);
// What a tool left running does not keep the program.
process.exit(code);
