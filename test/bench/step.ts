import { DatabaseSync } from "node:sqlite";
import { createSystem, silentLogger, textFor } from "wakeful";
import { sqliteStore } from "wakeful/sqlite";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { inFolder } from "./folder.ts";
import { interleaved, median, print, wallTime } from "./measure.ts";
import { pieces } from "./trips.ts";

/** Slices of one thread; a run takes a fresh one. */
const slices = 20;

const model = () => scriptedModel(() => ({ chunks: pieces, end: "final" }), { keep: 0 });

/** Slices of one round each, one after the other in one thread; µs on the wall each. */
const residentOn = async (file: string) => {
  const store = sqliteStore(file);
  const system = await createSystem({ model: model(), store, logger: silentLogger });
  let threads = 0;
  return {
    async run(): Promise<number> {
      const thread = await system.open(`resident-${++threads}`);
      const before = wallTime();
      for (let index = 0; index < slices; index++) {
        await thread.send(`message ${index}`);
        await thread.atRest();
      }
      return (wallTime() - before) / slices;
    },
    stop: () => system.stop().then(() => store.close()),
  };
};

const steppedOn = async (file: string) => {
  const store = sqliteStore(file);
  const system = await createSystem({ model: model(), store, logger: silentLogger, resident: false });
  let threads = 0;
  return {
    async run(): Promise<number> {
      const id = `stepped-${++threads}`;
      await system.open(id);
      const before = wallTime();
      for (let index = 0; index < slices; index++)
        await system.slices([textFor(id, `message ${index}`, { id: String(index) })]);
      return (wallTime() - before) / slices;
    },
    stop: () => system.stop().then(() => store.close()),
  };
};

/** Reads what a slice of the last stepped thread reads, and no more: its rows, parsed. */
const bareOn = (file: string) => {
  const connection = new DatabaseSync(file, { readOnly: true });
  const last = connection.prepare("SELECT * FROM thread WHERE name LIKE 'stepped-%' ORDER BY id DESC LIMIT 1");
  const parts = ["call", "subscription", "inbox", "timer"].map((table) =>
    connection.prepare(`SELECT * FROM ${table} WHERE thread = ?`),
  );
  const entries = connection.prepare("SELECT * FROM entry WHERE thread = ? AND position < ?");
  const [begin, commit] = [connection.prepare("BEGIN"), connection.prepare("COMMIT")];
  return {
    async run(): Promise<number> {
      const { id } = last.get() as { id: number };
      const before = wallTime();
      for (let index = 0; index < slices; index++) {
        begin.run();
        JSON.parse((last.get() as { record: string }).record);
        for (const part of parts) part.all(id);
        for (const row of entries.all(id, 2 * index)) JSON.parse((row as { body: string }).body);
        commit.run();
      }
      return (wallTime() - before) / slices;
    },
    stop: async () => connection.close(),
  };
};

/** What is read anew and given back, against what stays in memory. */
export const steppedSlice = (): Promise<boolean> =>
  inFolder(async (fileOf) => {
    const [residentFile, steppedFile] = [fileOf(), fileOf()];
    const resident = await residentOn(residentFile);
    const stepped = await steppedOn(steppedFile);
    await stepped.run();
    const bare = bareOn(steppedFile);
    const of = await interleaved(
      { resident: () => resident.run(), stepped: () => stepped.run(), bare: () => bare.run() },
      25,
    );
    await Promise.all([resident, stepped, bare].map(({ stop }) => stop()));
    return print({
      bench: "a slice in step mode against a resident one and a bare read of the same rows, on disk",
      ratio: median(of.stepped) / (median(of.resident) + median(of.bare)),
      atMost: 1.5,
      of,
      unit: "µs on the wall a slice",
      each: { slices },
    });
  });
