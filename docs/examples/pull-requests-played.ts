import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sqliteStore } from "wakeful/sqlite";
import { scriptedModel } from "wakeful/testing";
import { reviewer } from "./pull-requests.ts";

const folder = mkdtempSync(join(tmpdir(), "wakeful-"));
const database = join(folder, "reviews.db");
const store = sqliteStore(database);

// What a model would say, in order, so that this page is the same each time.
const model = scriptedModel(
  [
    { calls: [{ name: "watch_pull_request" }, { name: "run_checks", args: { commit: "1a2b" } }] },
    { text: "1a2b is green but outdated.", calls: [{ name: "run_checks", args: { commit: "3c4d" } }] },
    { calls: [{ name: "comment", args: { text: "3c4d is green. Ship it." } }] },
    "Reviewed.",
    "It was merged: nothing is left to do.",
  ],
  { strict: true },
);
const checks = new Map<string, (result: string) => void>();
const system = await reviewer(
  {
    watches: folder,
    check: (commit) => new Promise((resolve) => checks.set(commit, resolve)),
    comment: async () => {},
  },
  { model, store },
);

/** Prints what happens up to a fact of this type. */
const facts = system
  .feed({ where: { types: ["input.accepted", "call.made", "call.settled", "round.ended", "slice.ended"] } })
  [Symbol.asyncIterator]();
const until = async (line: RegExp): Promise<void> => {
  for (let shown = ""; !line.test(shown); ) {
    const { value: fact } = await facts.next();
    if (fact.type === "input.accepted")
      shown = "text" in fact.input ? `${fact.input.kind} accepted: ${fact.input.text}` : `${fact.input.kind} accepted`;
    if (fact.type === "call.made") shown = `call made: ${fact.display}`;
    if (fact.type === "call.settled") shown = `call settled: ${fact.name}`;
    if (fact.type === "round.ended") shown = fact.text === "" ? "" : `says: ${fact.text}`;
    if (fact.type === "slice.ended") shown = `[${fact.state}]`;
    if (shown !== "") console.log(shown);
  }
};

const hooks = spawn(
  process.execPath,
  [fileURLToPath(import.meta.resolve("./pull-request-hooks.ts")), database, folder, "0"],
  {
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const [line] = await once(createInterface({ input: hooks.stdout }), "line");
const { port } = JSON.parse(String(line).replace("listening on ", ""));
const post = async (id: string, action: string, text: string): Promise<void> => {
  const body = JSON.stringify({ id, action, repository: "acme/shop", number: 7, text });
  const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body, headers: { connection: "close" } });
  console.log(`> ${action}: ${response.status} ${await response.text()}`);
};

await post("d-1", "opened", "Pull request 7 was opened with commit 1a2b.");
await until(/^result accepted/);
await post("d-2", "force-pushed", "Force-pushed to 3c4d.");
await post("d-2", "force-pushed", "Force-pushed to 3c4d.");
await until(/^event accepted/);
console.log("> the checks of 1a2b end");
checks.get("1a2b")?.("1a2b is green.");
await until(/^\[awaitingActiveCall\]/);
console.log("> the checks of 3c4d end");
checks.get("3c4d")?.("3c4d is green.");
await until(/^\[subscribed\]/);
await post("d-3", "closed", "It was merged.");
await until(/^\[idle\]/);

hooks.kill("SIGTERM");
await system.stop();
await store.close();
rmSync(folder, { recursive: true });
