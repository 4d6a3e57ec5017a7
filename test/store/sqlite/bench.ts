/**
 * µs of one durable round trip (one accept, one commit) on a SQLite file: `node test/store/sqlite/bench.ts`. Medians of
 * several runs, beside one bare insert of the same bytes in a transaction, twice, on a file with the same settings.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
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
import { median } from "../../bench/measure.ts";

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

const wakeful = async (synchronous: "full" | "normal", trips: number): Promise<number> => {
  const file = join(folder, `${++files}.db`);
  const store = sqliteStore(file, { synchronous });
  const threadId = "bench" as ThreadId;
  await store.create(threadId, spec, 1);
  const costs: number[] = [];
  for (let version = 0; version < trips; version++) {
    const start = performance.now();
    const [acceptance] = await store.accept([deliver(threadId, `id-${version}`, say(text))], roomy);
    const seq = acceptance?.status === "accepted" ? acceptance.waiting.seq : -1;
    await store.commit(trip(threadId, version, seq), 1_000);
    costs.push((performance.now() - start) * 1_000);
  }
  await store.close();
  console.log(JSON.stringify({ synchronous, "bytes a trip": Math.round(statSync(file).size / trips) }));
  return costs.reduce((sum, cost) => sum + cost, 0) / trips;
};

const bare = async (synchronous: "full" | "normal", trips: number): Promise<number> => {
  const connection = new DatabaseSync(join(folder, `${++files}.db`));
  connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; CREATE TABLE row (body TEXT)`);
  const insert = connection.prepare("INSERT INTO row VALUES (?)");
  const start = performance.now();
  for (let each = 0; each < trips; each++)
    for (const body of [
      JSON.stringify(deliver("bench" as ThreadId, `${each}`, say(text))),
      JSON.stringify(trip("bench" as ThreadId, each, each)),
    ]) {
      connection.exec("BEGIN IMMEDIATE");
      insert.run(body);
      connection.exec("COMMIT");
    }
  const cost = ((performance.now() - start) * 1_000) / trips;
  connection.close();
  return cost;
};

for (const synchronous of ["normal", "full"] as const) {
  const trips = synchronous === "full" ? 300 : 3_000;
  const costs = { bare: [] as number[], wakeful: [] as number[] };
  for (let run = 0; run < 6; run++) {
    const [ours, theirs] = [await wakeful(synchronous, trips), await bare(synchronous, trips)];
    if (run > 0) costs.wakeful.push(ours);
    if (run > 0) costs.bare.push(theirs);
  }
  const of = { wakeful: Math.round(median(costs.wakeful)), bare: Math.round(median(costs.bare)) };
  console.log(JSON.stringify({ bench: `accept and commit, synchronous ${synchronous}, µs`, of }));
}
rmSync(folder, { recursive: true });
