import type { Clock } from "../../clock.ts";
import type { SharedStore } from "../../store/store.ts";
import { noThread, threadIdOf } from "../close-ids.ts";
import { columnsOf } from "../columns.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Io, notice } from "../io.ts";
import { jsonText, type Output, outputOf } from "../output.ts";
import { writeEntry } from "./entries.ts";
import { writeHead, writeRest, writeSetAside } from "./page.ts";
import { paperOf } from "./paper.ts";
import { entriesIn, lastEntries, type Reading, readThread } from "./reading.ts";
import { standingsOf } from "./standing.ts";

export interface ShowOptions {
  readonly db: string;
  readonly thread: string;
  readonly json: boolean;
  /** Entries of the history. Default: 20 for people, all as JSON. */
  readonly last?: number;
}

/** Entries that people are shown when they do not say how many. */
const few = 20;

/** Prints what a store knows of a thread, and resolves to the exit code. Throws ThreadIdError. */
export const showThread = async (store: SharedStore, options: ShowOptions, io: Io, clock: Clock): Promise<number> => {
  const { json, db } = options;
  const threadId = threadIdOf(options.thread);
  const reading = await readThread(store, threadId, clock.now());
  if (!reading) {
    notice(io, await noThread(store, threadId, db));
    return exitCodes.failed;
  }
  const output = outputOf(io);
  if (json) await printJson(store, reading, options.last ?? Number.POSITIVE_INFINITY, output);
  else await printPage(store, reading, options.last ?? few, output, columnsOf(io), clock.now());
  return output.code(exitCodes.done);
};

/** One object on one line, written as it is read: a long history is never in memory as a whole. */
const printJson = async (store: SharedStore, reading: Reading, last: number, output: Output): Promise<void> => {
  const { thread, runner, timers } = reading;
  const { threadId, version, spec, record, subscriptions, choices, views, opening, children } = thread;
  const head = { threadId, version, runner, opening, ...spec, ...record };
  await output.write(`${jsonText(head).slice(0, -1)},"history":[`);
  let between = "";
  for await (const entries of lastEntries(store, thread, last)) {
    if (entries.length === 0) continue;
    if (!(await output.write(between + entries.map(jsonText).join(",")))) return;
    between = ",";
  }
  const setAside = (await store.setAside?.(threadId)) ?? [];
  await output.write(
    `],${jsonText({ ...(setAside.length > 0 && { setAside }), ...standingsOf(reading), subscriptions, choices, views, timers, children }).slice(1)}\n`,
  );
};

const printPage = async (
  store: SharedStore,
  reading: Reading,
  last: number,
  output: Output,
  columns: number,
  now: number,
): Promise<void> => {
  const paper = paperOf(columns);
  const all = entriesIn(reading.thread);
  writeHead(paper, reading, now);
  paper.blank();
  paper.add(
    last < all ? `History: the last ${last} of ${all} entries (--last ${all} shows all)` : `History: ${all} entries`,
  );
  for await (const entries of lastEntries(store, reading.thread, last)) {
    for (const entry of entries) writeEntry(paper, entry);
    if (!(await output.write(paper.take()))) return;
  }
  writeSetAside(paper, (await store.setAside?.(reading.thread.threadId)) ?? [], now);
  writeRest(paper, reading, standingsOf(reading), now);
  await output.write(paper.take());
};
