import { faultsOf } from "../../../machines/history/faults.ts";
import type { FeedItem } from "../../../machines/thread/facts.ts";
import { silentLogger } from "../../../src/logger.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { viewOf } from "../../../src/thread/view.ts";
import { notesIn } from "../notes.ts";
import { loadIn } from "./load.ts";
import { acceptedKeysIn, placesIn } from "./places.ts";
import { noteOf, type ReadNote } from "./reader.ts";
import type { Begun, Wakes } from "./runner.ts";
import type { SentNote } from "./sender.ts";
import { onlyOnce } from "./tools.ts";

/** What a load came to, by the notes of the world outside and by the file. */
export interface Tally {
  /** Texts, results, events and answers that the world outside sent, and those of which it was told that they are durable. */
  readonly sent: number;
  readonly acknowledged: number;
  /** Those that are in a history, were acted on, or were discarded with a reason. */
  readonly processed: number;
  /** What the load met beside that, by name. */
  readonly met: Readonly<Record<string, number>>;
  /** Acknowledged, and in no place (R1). */
  readonly lost: readonly string[];
  /** In two places, new twice, or begun twice and not to be repeated (R2, R7). */
  readonly doubled: readonly string[];
  /** Facts that the reader did not see. */
  readonly missed: readonly string[];
  /** Anything else that is wrong with a history (R5). */
  readonly faults: readonly string[];
}

/** Values that are there more than once. */
const repeated = (values: readonly string[]): string[] => {
  const seen = new Set<string>();
  return values.filter((value) => seen.has(value) || !seen.add(value));
};

const metIn = (feed: readonly FeedItem[], begun: readonly Begun[], wakes: readonly Wakes[]) => {
  const count = (holds: (fact: FeedItem) => boolean): number => feed.filter(holds).length;
  return {
    turns: count(({ type }) => type === "round.ended"),
    "calls begun": begun.length,
    subscriptions: count(({ type }) => type === "subscription.opened"),
    children: count(({ type }) => type === "child.opened"),
    timers: count((fact) => fact.type === "input.accepted" && ["timer", "linger"].includes(fact.input.kind)),
    questions: count((fact) => fact.type === "choice.closed" && fact.outcome === "answered"),
    interruptions: count((fact) => fact.type === "call.settled" && fact.origin === "interrupted"),
    "lost calls": count((fact) => fact.type === "call.settled" && fact.origin === "restart"),
    wakes: wakes.length,
  };
};

export const tallyOf = async (folder: string): Promise<Tally> => {
  const load = loadIn(folder);
  const store = sqliteStore(load.file, { logger: silentLogger });
  try {
    const feed = await store.feed({ after: 0, limit: Number.MAX_SAFE_INTEGER });
    const histories = new Map<string, Awaited<ReturnType<typeof store.history>>>();
    const faults: string[] = [];
    for (const { threadId } of await store.threads()) {
      histories.set(threadId, await store.history(threadId));
      const loaded = await store.load(threadId);
      const view = await viewOf(store, threadId, loaded?.opening ?? null);
      const open = (loaded?.calls ?? []).map(({ callId }) => callId);
      faults.push(...faultsOf(view, open).map((fault) => `${threadId}, ${fault}`));
    }
    const entries = new Map([...histories].map(([id, history]) => [id, history.map(({ entry }) => entry)]));
    const places = placesIn(entries, feed);

    const notes = notesIn<SentNote>(load.sent);
    const sent = new Map(notes.flatMap((note) => (note.what === "sent" ? [[note.key, note.envelope] as const] : [])));
    const answers = notes.filter((note) => note.what === "acknowledged");
    const acknowledged = new Set(answers.map(({ key }) => key));
    const placed = new Map([...sent].map(([key, envelope]) => [key, places.of(envelope)]));
    const begun = notesIn<Begun>(load.begun);
    const read = new Map(notesIn<ReadNote>(load.read).map((note) => [note.feed, JSON.stringify(note)]));
    return {
      sent: sent.size,
      acknowledged: acknowledged.size,
      processed: [...placed.values()].filter(({ length }) => length > 0).length,
      met: metIn(feed, begun, notesIn<Wakes>(load.wakes)),
      lost: [...acknowledged].filter((key) => placed.get(key)?.length === 0),
      doubled: [
        ...[...placed].flatMap(([key, where]) => (where.length > 1 ? [`${key} (${where.join(", ")})`] : [])),
        ...repeated(acceptedKeysIn(feed)),
        ...repeated(answers.flatMap(({ key, fresh }) => (fresh ? [key] : []))),
        ...repeated(begun.flatMap(({ name, callId }) => (onlyOnce.includes(name) ? [`${name} ${callId}`] : []))),
      ],
      missed: feed.map(noteOf).flatMap((note) => {
        const text = JSON.stringify(note);
        return read.get(note.feed) === text ? [] : [text];
      }),
      faults,
    };
  } finally {
    await store.close();
  }
};
