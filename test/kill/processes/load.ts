import { loadIn } from "../load/load.ts";
import { read } from "../load/reader.ts";
import { runLoad } from "../load/runner.ts";
import { send } from "../load/sender.ts";

/** Plays one part, until it is killed. Arguments: the part, the folder of the load. */
const parts = { runner: runLoad, sender: send, reader: read };
const [part = "", folder = ""] = process.argv.slice(2);
await parts[part as keyof typeof parts](loadIn(folder));
