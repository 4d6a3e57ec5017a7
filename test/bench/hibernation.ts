import { DatabaseSync } from "node:sqlite";
import { createSystem, silentLogger } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { createActor, setup } from "xstate";
import { ThreadId } from "../../machines/history/ids.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { inFolder } from "./folder.ts";
import { interleaved, mean, median, print, threadTime } from "./measure.ts";
import { pieces } from "./trips.ts";

const entries = 200;
const threads = 100;

const talker = () => scriptedModel(() => ({ chunks: pieces, end: "final" }), { keep: 0 });
const idOf = (index: number): string => `thread-${index}`;

/** Threads with a history each, in a file. */
const filled = async (file: string, count: number, length: number): Promise<void> => {
  const store = sqliteStore(file, { synchronous: "normal" });
  const system = await createSystem({ model: talker(), store, logger: silentLogger, limits: { residents: 1 } });
  for (let index = 0; index < count; index++) {
    const thread = await system.open(idOf(index));
    for (let message = 0; message < length / 2; message++) {
      await thread.send(`message ${message}`);
      await thread.atRest();
    }
  }
  await system.stop();
  await store.close();
};

const resting = setup({}).createMachine({ id: "resting", initial: "idle", states: { idle: {} } });

/** Reads the rows as they are and starts an actor that does nothing with them. */
const bare = async (file: string): Promise<number> => {
  const connection = new DatabaseSync(file, { readOnly: true });
  const record = connection.prepare("SELECT id, version, record FROM thread WHERE name = ?");
  const rows = connection.prepare("SELECT position, body FROM entry WHERE thread = ? ORDER BY position");
  const before = threadTime();
  for (let index = 0; index < threads; index++) {
    const { id } = record.get(idOf(index)) as { id: number };
    const read = rows.all(id).map(({ position, body }) => ({ position, entry: JSON.parse(String(body)) }));
    if (read.length < entries) throw new Error(`There are ${read.length} rows.`);
    createActor(resting).start().stop();
  }
  const cost = (threadTime() - before) / threads;
  connection.close();
  return cost;
};

/** Two texts to each thread, the first of which wakes it: what the first costs more. */
const woken = async (file: string): Promise<number> => {
  const store = sqliteStore(file, { synchronous: "normal" });
  const system = await createSystem({ model: talker(), store, logger: silentLogger, limits: { residents: 1 } });
  const say = async (index: number): Promise<void> => {
    const input = { kind: "text", text: "hello" };
    await system.deliver({ threadId: idOf(index), dedupId: crypto.randomUUID(), input });
    const thread = await system.thread(idOf(index));
    await thread?.atRest();
  };
  const times = { first: 0, second: 0 };
  for (let index = 0; index < threads; index++)
    for (const which of ["first", "second"] as const) {
      const before = threadTime();
      await say(index);
      times[which] += threadTime() - before;
    }
  await system.stop();
  await store.close();
  return (times.first - times.second) / threads;
};

/** Bringing a thread back into memory, with its history in the form a model reads. */
export const waking = (): Promise<boolean> =>
  inFolder(async (file) => {
    const path = file();
    await filled(path, threads, entries);
    const of = await interleaved({ bare: () => bare(path), wakeful: () => woken(path) }, 11);
    return print({
      bench: "waking a hibernated thread of 200 entries on SQLite against reading its rows and starting a bare actor",
      ratio: median(of.wakeful) / median(of.bare),
      atMost: 3,
      of,
      unit: "µs of thread time a thread",
      each: { threads, entries },
    });
  });

const sleepers = 20_000;

const heap = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024;
};

/** Threads that came into memory, said something and left again: what they leave behind in the process. */
export const hibernatedHeap = (): Promise<boolean> =>
  inFolder(async (file) => {
    const store = sqliteStore(file(), { synchronous: "normal" });
    const system = await createSystem({ model: talker(), store, logger: silentLogger, limits: { residents: 50 } });
    const exchange = async (id: string) => {
      const thread = await system.open(id);
      await thread.send("hello");
      await thread.atRest();
    };
    for (let index = 0; index < 2_000; index++) await exchange(`before-${index}`);
    const before = heap();
    for (let index = 0; index < sleepers; index++) await exchange(`thread-${index}`);
    // The registries of what nobody holds any more are swept between turns.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const after = heap();
    const there = await store.load(ThreadId.parse("thread-0"));
    await system.stop();
    await store.close();
    if (!there) throw new Error("The threads are not in the store.");
    return print({
      bench: "heap after 20,000 threads that hibernated against that before them",
      ratio: after / before,
      atMost: 1.05,
      of: { before: [before], after: [after] },
      unit: "KB of heap",
      each: { threads: sleepers, "bytes a thread": Math.round(((after - before) * 1024) / sleepers), resident: 50 },
    });
  });

const busy = 100;
const others = 100_000;

/** Copies of a thread at rest. */
const copied = (file: string, count: number): void => {
  const connection = new DatabaseSync(file);
  connection.exec(`
    PRAGMA synchronous = OFF;
    BEGIN;
    CREATE TEMP TABLE copy AS
      WITH RECURSIVE n (id) AS (SELECT 1000 UNION ALL SELECT id + 1 FROM n WHERE id < ${999 + count}) SELECT id FROM n;
    INSERT INTO thread (id, name, version, state, round_due, record)
      SELECT copy.id, 'copy-' || copy.id, version, state, round_due, record FROM copy, thread WHERE thread.id = 1;
    INSERT INTO spec SELECT copy.id, created, body FROM copy, spec WHERE thread = 1;
    INSERT INTO entry (thread, position, body) SELECT copy.id, position, body FROM copy, entry WHERE thread = 1;
    COMMIT;
    PRAGMA wal_checkpoint(TRUNCATE)`);
  connection.close();
};

/** µs of thread time until a hundred threads that had work have done it. */
const started = async (file: string): Promise<number> => {
  const store = sqliteStore(file, { synchronous: "normal" });
  for (let index = 0; index < busy; index++)
    await store.accept(
      [
        {
          threadId: ThreadId.parse(idOf(index)),
          dedupId: crypto.randomUUID(),
          key: crypto.randomUUID(),
          input: { kind: "text", text: "hello", sender: "user", whileBusy: "interrupt" },
          at: 1,
          facts: [],
        },
      ],
      { inboxLimit: 1_000 },
    );
  const before = threadTime();
  const system = await createSystem({ model: talker(), store, logger: silentLogger });
  for (let index = 0; index < busy; index++) await (await system.thread(idOf(index)))?.atRest();
  const cost = threadTime() - before;
  await system.stop();
  await store.close();
  return cost;
};

/** Threads that rest are not looked at when a system starts, also when others have work. */
export const startUp = (): Promise<boolean> =>
  inFolder(async (file) => {
    const [few, many] = [file(), file()];
    await filled(few, busy, 4);
    await filled(many, busy, 4);
    copied(many, others);
    const of = await interleaved({ few: () => started(few), many: () => started(many) }, 9);
    return print({
      bench: "start-up with 100 threads that have work among 100,000 that rest against those 100 alone",
      ratio: median(of.many) / median(of.few),
      atMost: 2,
      of,
      unit: "µs of thread time until the work is done",
      each: { busy, resting: others, mean: Math.round(mean(of.many)) },
    });
  });
