import { sqliteStore } from "../../../../src/store/sqlite/sqlite-store.ts";
import { alpha, deliver, roomy, spec } from "../../../../src/testing/store/material.ts";

/** Opens the file named first and sends as many inputs as the second argument says, one by one, the ids from 0. */
const [file = "", count = "0"] = process.argv.slice(2);
const store = sqliteStore(file, { synchronous: "normal" });
await store.create(alpha, spec, 1);
for (let id = 0; id < Number(count); id++) await store.accept([deliver(alpha, `${id}`)], roomy);
await store.close();
