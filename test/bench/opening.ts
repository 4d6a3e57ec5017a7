import { DatabaseSync } from "node:sqlite";
import { createSystem, silentLogger } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { inFolder } from "./folder.ts";
import { interleaved, median, print, wallTime } from "./measure.ts";

const few = 100;
const many = 100_000;

const model = scriptedModel(() => "It is where it was.", { keep: 0 });

/** A database in which the first thread had an exchange and the others are its copies. */
const filled = async (file: string, threads: number): Promise<void> => {
  const store = sqliteStore(file, { synchronous: "normal" });
  const system = await createSystem({ model, store, logger: silentLogger });
  const thread = await system.open("thread-1");
  await thread.send("Where is it?");
  await thread.atRest();
  await system.stop();
  await store.close();
  const connection = new DatabaseSync(file);
  connection.exec(`
    PRAGMA synchronous = OFF;
    BEGIN;
    CREATE TEMP TABLE copy AS
      WITH RECURSIVE n (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM n WHERE id < ${threads}) SELECT id FROM n;
    INSERT INTO thread (id, name, version, state, round_due, record)
      SELECT copy.id, 'thread-' || copy.id, version, state, round_due, record FROM copy, thread WHERE thread.id = 1;
    INSERT INTO spec SELECT copy.id, created, body FROM copy, spec WHERE thread = 1;
    INSERT INTO seen SELECT copy.id, key FROM copy, seen WHERE thread = 1;
    INSERT INTO input (thread, at, body) SELECT copy.id, at, body FROM copy, input WHERE thread = 1;
    INSERT INTO entry (thread, position, body) SELECT copy.id, position, body FROM copy, entry WHERE thread = 1;
    INSERT INTO feed SELECT first + 1000 * (copy.id - 1), facts, copy.id, at, body FROM copy, feed WHERE thread = 1;
    COMMIT;
    PRAGMA wal_checkpoint(TRUNCATE)`);
  const { threads: there } = connection.prepare("SELECT count(*) AS threads FROM thread").get() as { threads: number };
  connection.close();
  if (there !== threads) throw new Error(`There are ${there} threads, and ${threads} were to be made.`);
};

/** µs on the wall from the file to a system that is ready, the store's schema and its look for work included. */
const opened = async (file: string): Promise<number> => {
  const before = wallTime();
  const store = sqliteStore(file, { synchronous: "normal" });
  const system = await createSystem({ model, store, logger: silentLogger });
  const cost = wallTime() - before;
  await system.stop();
  await store.close();
  return cost;
};

/** Threads that rest are not looked at when a system starts. */
export const opening = (): Promise<boolean> =>
  inFolder(async (file) => {
    const [small, large] = [file(), file()];
    await filled(small, few);
    await filled(large, many);
    const of = await interleaved({ few: () => opened(small), many: () => opened(large) }, 41);
    return print({
      bench: "opening a database with 100,000 resting threads against one with 100",
      ratio: median(of.many) / median(of.few),
      atMost: 1.25,
      of,
      unit: "µs on the wall until the system is ready",
      each: { few, many },
    });
  });
