import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "wakeful/sqlite";
import { bareTrips } from "./bare.ts";
import { writtenBy } from "./counted.ts";
import { inFolder } from "./folder.ts";
import { interleaved, mean, median, print, threadTime, wallTime } from "./measure.ts";
import { costsOf, tripModel, tripSystem } from "./trips.ts";

type Synchronous = "normal" | "full";

/** What ours writes in a round trip: bytes of each of its transactions, the accept of the result first. */
interface Written {
  readonly result: number;
  readonly turn: number;
  readonly handedOver: number;
}

/** Transactions of a round trip: accept of the result, commit of it with the next turn, mark of its call as started. */
const transactions = 3;

const countedOn = async (file: string, synchronous: Synchronous): Promise<Written> => {
  const trips = 100;
  const system = await tripSystem(sqliteStore(file, { synchronous }));
  const written = await writtenBy(() => system.run(tripModel(trips, threadTime)));
  await system.stop();
  // The thread's creation, its first input and its end are a handful among three hundred.
  const perTrip = written.length / trips;
  if (Math.round(perTrip) !== transactions)
    throw new Error(`A round trip has ${perTrip} transactions; the bare machine of this bench makes ${transactions}.`);
  const middle = written.slice(30, 30 + 60 * transactions);
  const every = (place: number) => Math.round(mean(middle.filter((_, index) => index % transactions === place)));
  const [result = 0, turn = 0, handedOver = 0] = inOrder([every(0), every(1), every(2)]);
  return { result, turn, handedOver };
};

/** Of three that repeat, the turn is the longest, and the result stands before it. */
const inOrder = (bytes: readonly number[]): number[] => {
  const turn = bytes.indexOf(Math.max(...bytes));
  return [2, 0, 1].map((step) => bytes[(turn + step) % bytes.length] ?? 0);
};

/** A connection with the settings that ours uses, one row a transaction. */
const bareOn = (file: string, synchronous: Synchronous, written: Written) => {
  const connection = new DatabaseSync(file);
  connection.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = 4000;
    CREATE TABLE log (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT`);
  const insert = connection.prepare("INSERT INTO log (body) VALUES (?)");
  const [begin, commit] = [connection.prepare("BEGIN IMMEDIATE"), connection.prepare("COMMIT")];
  let count = 0;
  const append = (step: keyof Written) => {
    const body = JSON.stringify({ step, at: ++count, said: texts[step] });
    begin.run();
    insert.run(body);
    commit.run();
  };
  const around = JSON.stringify({ step: "result", at: 1_000, said: "" }).length;
  const textOf = (bytes: number) => "a word or so ".repeat(1_000).slice(0, Math.max(0, bytes - around));
  const texts = {
    result: textOf(written.result),
    turn: textOf(written.turn),
    handedOver: textOf(written.handedOver),
  };
  return {
    writes: {
      turn: () => append("turn"),
      handedOver: () => append("handedOver"),
      result: () => append("result"),
    },
    close: () => connection.close(),
  };
};

const against = (synchronous: Synchronous, clock: () => number, trips: number, rounds: number) =>
  inFolder(async (file) => {
    const written = await countedOn(file(), synchronous);
    const system = await tripSystem(sqliteStore(file(), { synchronous }));
    const { writes, close } = bareOn(file(), synchronous, written);
    const of = await interleaved(
      {
        bare: async () => {
          const script = tripModel(trips, clock);
          await bareTrips(script.model, writes);
          return mean(costsOf(script));
        },
        wakeful: async () => {
          const script = tripModel(trips, clock);
          await system.run(script);
          return mean(costsOf(script));
        },
      },
      rounds,
    );
    await system.stop();
    close();
    return {
      ratio: median(of.wakeful) / median(of.bare),
      of,
      each: {
        "round trips": trips,
        transactions,
        "bytes of the turn": written.turn,
        "bytes of the result": written.result,
        "bytes of the mark": written.handedOver,
      },
    };
  });

/**
 * A durable round trip against a bare machine that drains the same stream and appends as many bytes in as many
 * transactions, with the same settings.
 */
export const durableNormal = async (): Promise<boolean> =>
  print({
    bench: "durable round trip at NORMAL against a bare machine that appends the same",
    atMost: 3,
    unit: "µs of thread time a round trip",
    ...(await against("normal", threadTime, 400, 9)),
  });

/** The same at FULL, on the wall: both wait for the disk, three times each. */
export const durableFull = async (): Promise<boolean> =>
  print({
    bench: "durable round trip at FULL against a bare machine that appends the same",
    atMost: 3,
    unit: "µs on the wall a round trip",
    ...(await against("full", wallTime, 200, 9)),
  });
