import { run } from "../runner.ts";

/** Runs the runner of its one argument (JSON). */
await run(JSON.parse(process.argv[2] ?? ""));
