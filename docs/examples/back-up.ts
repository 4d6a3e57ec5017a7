import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSystem, demoModel, type Store } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";

/** A copy of one moment, made while systems and senders go on; `copy` must not be there yet. */
const backUp = (file: string, copy: string): void => {
  const connection = new DatabaseSync(file, { timeout: 5_000 });
  connection.prepare("VACUUM INTO ?").run(copy);
  connection.close();
};

const folder = mkdtempSync(join(tmpdir(), "back-up-"));
const [file, copy] = [join(folder, "agents.db"), join(folder, "monday.db")];
const store = sqliteStore(file);
const system = await createSystem({ model: demoModel(), store });
const thread = await system.open("acme/build-42");
await thread.ask("say hello");
backUp(file, copy);
await thread.ask("say goodbye");

const entriesIn = async (one: Store) =>
  (await one.feed({ after: 0, limit: 1_000 })).filter(({ type }) => type === "entry.added").length;
const kept = sqliteStore(copy);
console.log(`entries: ${await entriesIn(store)}, in the copy: ${await entriesIn(kept)}`);
await kept.close();
await system.stop();
await store.close();
rmSync(folder, { recursive: true });
