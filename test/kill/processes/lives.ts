import { type Life, live } from "../life.ts";

/** Lives the lives of its one argument (JSON), one after the other, each on a store of its own. */
for (const life of JSON.parse(process.argv[2] ?? "[]") as Life[]) await live(life);
