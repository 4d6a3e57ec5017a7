/** Loaded before the program: plants the fault named by WAKEFUL_PLANTED while modules are loaded. Files stay as they are. */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { faults } from "./faults.ts";
import { edited, root } from "./plant.ts";

const name = process.env.WAKEFUL_PLANTED;
const fault = faults.find((other) => other.name === name);
if (!fault) throw new Error(`There is no planted fault ${name}.`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith("file:") || loaded.source === undefined || loaded.source === null) return loaded;
    const path = fileURLToPath(url);
    const edits = fault.edits.filter(({ file }) => path === root + file);
    if (edits.length === 0) return loaded;
    const source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: edited(source, edits) };
  },
});
