import { faultsOf } from "../../../machines/history/faults.ts";
import { type Found, factsIn, findIn, textsIn } from "../found.ts";
import { notesIn } from "../notes.ts";
import { loadIn, threadIds } from "./load.ts";
import type { ReadNote } from "./reader.ts";
import { type Begun, onlyOnce } from "./runner.ts";
import type { SentNote } from "./sender.ts";

/** What a load came to, by the notes of the world outside and by the file. */
export interface Tally {
  /** Texts and results that the world outside sent, and those of which it was told that they are durable. */
  readonly sent: number;
  readonly acknowledged: number;
  /** Those that are in a history, or were discarded with a reason (a result of a call that was settled before). */
  readonly processed: number;
  readonly turns: number;
  readonly begun: number;
  /** Acknowledged, and in no place (R1). */
  readonly lost: readonly string[];
  /** In a history twice, new twice, or begun twice and not to be repeated (R2, R7). */
  readonly doubled: readonly string[];
  /** Texts of the model that the reader did not see. */
  readonly missed: readonly string[];
  /** Anything else that is wrong with a history (R5). */
  readonly faults: readonly string[];
}

/** Values that are there more than once. */
const repeated = (values: readonly string[]): string[] => {
  const seen = new Set<string>();
  return values.filter((value) => seen.has(value) || !seen.add(value));
};

/** Where the inputs of the world outside are, by the keys that it gave them: one for each place. */
const placesIn = (found: Found): string[] => {
  const answered = factsIn(found, "input.accepted").flatMap(({ input, dedupId, threadId }) =>
    input.kind === "result" && dedupId === "delivered" ? [keyOfResult(threadId, input.callId)] : [],
  );
  return [...textsIn(found), ...answered];
};

const keyOfResult = (threadId: string, callId: string): string => `result of ${callId} in ${threadId}`;

export const tallyOf = async (folder: string): Promise<Tally> => {
  const load = loadIn(folder);
  const founds = await Promise.all(threadIds.map((threadId) => findIn(load.file, threadId)));
  const feed = founds[0]?.feed ?? [];
  const begun = notesIn<Begun>(load.begun);
  const keyOfAddress = new Map(
    begun.map(({ address, callId }) => [`result ${address}`, keyOfResult(callId.split("#")[0] ?? "", callId)]),
  );
  const keyOf = (key: string): string => keyOfAddress.get(key) ?? key;

  const notes = notesIn<SentNote>(load.sent);
  const sent = new Set(notes.flatMap((note) => (note.what === "sent" ? [keyOf(note.key)] : [])));
  const answers = notes.flatMap((note) => (note.what === "acknowledged" ? [{ ...note, key: keyOf(note.key) }] : []));
  const acknowledged = new Set(answers.map(({ key }) => key));
  const texts = founds.flatMap(textsIn);
  const results = placesIn({ ...(founds[0] as Found), history: [] });
  const places = new Set([...texts, ...results]);

  const read = new Map(notesIn<ReadNote>(load.read).map(({ feed, text }) => [feed, text]));
  const said = feed.flatMap((fact) => (fact.type === "round.ended" && fact.text !== "" ? [fact] : []));
  return {
    sent: sent.size,
    acknowledged: acknowledged.size,
    processed: [...sent].filter((key) => places.has(key)).length,
    turns: said.length,
    begun: begun.length,
    lost: [...acknowledged].filter((key) => !places.has(key)),
    doubled: [
      ...repeated(texts),
      ...repeated(answers.flatMap(({ key, fresh }) => (fresh ? [key] : []))),
      ...repeated(begun.flatMap(({ name, callId }) => (onlyOnce.includes(name) ? [`${name} ${callId}`] : []))),
    ],
    missed: said.flatMap(({ feed, text }) => (read.get(feed) === text ? [] : [text])),
    faults: founds.flatMap(({ history, thread }) =>
      faultsOf(
        history,
        (thread?.calls ?? []).map(({ callId }) => callId),
      ),
    ),
  };
};
