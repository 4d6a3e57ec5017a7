/**
 * µs of one durable round trip (one accept, one commit) on a SQLite file: `node test/store/sqlite/bench.ts`. Beside it the
 * same bytes as two rows of a bare table, in two transactions, with the same settings. Medians, by the clock on the wall and
 * by what the thread computed (the disk and other programs left out).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ThreadId } from "../../../machines/history/ids.ts";
import type { Fact } from "../../../machines/thread/facts.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import {
  callOf,
  commitOf,
  deliver,
  recordOf,
  result,
  roomy,
  say,
  spec,
  turn,
} from "../../../src/testing/store/material.ts";
import { median, threadTime } from "../../bench/measure.ts";

const folder = mkdtempSync(join(tmpdir(), "wakeful-bench-"));
const text = "A line of about a hundred characters, as a tool or a person would send it, without much in it, really.";
let files = 0;

/** One round trip as the machine makes it: a text comes in, the result before and a turn with a call go out. */
const trip = (threadId: ThreadId, version: number, seq: number) => {
  const position = version * 2;
  const call = { ...callOf(threadId, version + 1), position: position + 1 };
  const settled = version > 0 ? [callOf(threadId, version).callId] : [];
  const entries = [...settled.map((callId) => result(position - 1, callId)), turn(position, [call.callId])];
  const facts: Fact[] = [
    ...entries.map(({ position, entry }): Fact => ({ type: "entry.added", position, entry })),
    {
      type: "round.ended",
      outcome: "finished",
      usage: { inputTokens: 1, outputTokens: 1 },
      model: "m",
      text: "Looking.",
    },
    { type: "state.changed", state: "awaitingActiveCall" },
  ];
  const record = recordOf({ turns: version, nextPosition: position + 2, state: "awaitingActiveCall" });
  return commitOf(threadId, version, { entries, facts, record, consumed: [seq], calls: { made: [call], settled } });
};

/** µs of one trip. */
interface Cost {
  readonly wall: number;
  readonly thread: number;
}

const costOf = async (trips: number, run: (trip: number) => Promise<void>): Promise<Cost> => {
  const [wall, thread] = [performance.now(), threadTime()];
  for (let each = 0; each < trips; each++) await run(each);
  return { wall: ((performance.now() - wall) * 1_000) / trips, thread: (threadTime() - thread) / trips };
};

type Synchronous = "full" | "normal";
const threadId = "bench" as ThreadId;

const wakeful = async (synchronous: Synchronous, trips: number): Promise<Cost> => {
  const store = sqliteStore(join(folder, `${++files}.db`), { synchronous });
  await store.create(threadId, spec, 1);
  const cost = await costOf(trips, async (version) => {
    const [acceptance] = await store.accept([deliver(threadId, `id-${version}`, say(text))], roomy);
    const seq = acceptance?.status === "accepted" ? acceptance.waiting.seq : -1;
    await store.commit(trip(threadId, version, seq), 1_000);
  });
  await store.close();
  return cost;
};

const bare = async (synchronous: Synchronous, trips: number): Promise<Cost> => {
  const connection = new DatabaseSync(join(folder, `${++files}.db`));
  connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; CREATE TABLE row (body TEXT)`);
  const insert = connection.prepare("INSERT INTO row VALUES (?)");
  const append = async (value: object) => {
    connection.exec("BEGIN IMMEDIATE");
    insert.run(JSON.stringify(value));
    connection.exec("COMMIT");
  };
  const cost = await costOf(trips, async (each) => {
    await append(deliver(threadId, `${each}`, say(text)));
    await append(trip(threadId, each, each));
  });
  connection.close();
  return cost;
};

for (const synchronous of ["normal", "full"] as const) {
  const trips = synchronous === "full" ? 300 : 3_000;
  const costs: { bare: Cost; wakeful: Cost }[] = [];
  for (let run = 0; run < 6; run++) {
    const both = { bare: await bare(synchronous, trips), wakeful: await wakeful(synchronous, trips) };
    if (run > 0) costs.push(both);
  }
  for (const time of ["wall", "thread"] as const) {
    const of = {
      bare: Math.round(median(costs.map((cost) => cost.bare[time]))),
      wakeful: Math.round(median(costs.map((cost) => cost.wakeful[time]))),
    };
    console.log(JSON.stringify({ bench: `accept and commit, synchronous ${synchronous}, µs of ${time} time`, of }));
  }
}
rmSync(folder, { recursive: true });
