import type { Entry, PlacedEntry, ResultEntry } from "./entry.ts";
import type { CallId } from "./ids.ts";
import { layOut } from "./layout.ts";
import { recovered } from "./recover.ts";
import { withoutBlanks } from "./repair-entry.ts";
import type { Repair, Report } from "./repair-report.ts";
import { claimResults, type Item, nameCalls, type Segment, segmentsOf } from "./repair-segment.ts";
import { isReadable, type StoredRow, widthOf } from "./stored-row.ts";
import { isWellFormed } from "./well-formed.ts";
import { lostNote, recoveredNote, repairedText } from "./wording.ts";

/** What a record says of its history. */
export interface KnownOfHistory {
  /** Outstanding calls, with the places of their results. */
  readonly calls: readonly { readonly callId: CallId; readonly position: number }[];
  readonly nextPosition: number;
  /** The position of the first entry: above 0 for a child, which begins behind what it inherits. */
  readonly first: number;
  /** The instant of what is put in, ms since the epoch. */
  readonly at: number;
  /** Ids for calls whose own is used twice; never the same twice. */
  readonly freshCall: () => CallId;
}

/** How a stored history becomes well formed: data for one commit. */
export interface HistoryRepair {
  /** Rows as they are from now on; what is stored at their positions is set aside. */
  readonly entries: readonly PlacedEntry[];
  /** Positions whose row is set aside, and that are empty from now on. */
  readonly removed: readonly number[];
  /** Outstanding calls of the record that have their result, or are gone. */
  readonly settled: readonly CallId[];
  readonly nextPosition: number;
  readonly repairs: readonly Repair[];
}

/**
 * Mends a stored history that breaks R5; null when there is nothing to mend, which costs one pass. `rows` in the order in
 * which they are stored. Missing results are supplied, what nothing asks for is set aside, and of a person's words nothing
 * is lost: text of an entry that does not parse is kept. What stays keeps its position where there is room. Applied twice,
 * it finds nothing the second time.
 */
export const repairOf = (rows: readonly StoredRow[], known: KnownOfHistory): HistoryRepair | null => {
  const outstanding = new Map(known.calls.map(({ callId, position }) => [callId, position]));
  if (isWellFormed(rows, outstanding, known.nextPosition, known.first)) return null;
  const repairs: Repair[] = [];
  const report: Report = (kind, position, what) => void repairs.push({ kind, position, what });
  const segments = segmentsOf(readableOf(rows, known, report));
  beginWithInput(segments, known, report);
  nameCalls(segments, known.freshCall, report);
  claimResults(segments, report);
  const next = layOut(segments, known.first, known.nextPosition, report);
  // A note that comes behind the last turn leaves nothing of it open.
  const open = answered(segments, known, next < known.nextPosition ? new Map() : outstanding, report);
  const placed = placedOf(segments, known, report);
  const nextPosition = Math.max(next, known.nextPosition);
  if (nextPosition > next) placed.push(noteOf(next, nextPosition - next, known, report));
  const settled = known.calls.flatMap(({ callId }) => (open.has(callId) ? [] : [callId]));
  for (const { callId, position } of known.calls)
    if (!open.has(callId))
      report("outstanding-call", position, `The record waited for ${callId}, and does so no more.`);
  return { ...changesOf(rows, placed), settled, nextPosition, repairs };
};

/** Every row as an entry, ascending; what cannot be read is left out. */
const readableOf = (rows: readonly StoredRow[], { at }: KnownOfHistory, report: Report): Item[] =>
  rows
    .flatMap((row): Item[] => {
      const { position } = row;
      if (isReadable(row)) return [{ from: position, at: position, entry: withoutBlanks(row.entry, position, report) }];
      const entry = recovered(row.damaged, at);
      report(
        "unreadable-entry",
        position,
        entry
          ? "It could not be read as it was; what could be was kept."
          : "Nothing of it could be read; it was set aside.",
      );
      return entry ? [{ from: position, at: position, entry: withoutBlanks(entry, position, () => {}) }] : [];
    })
    .sort((a, b) => a.from - b.from);

/** No request begins with words of the model: a turn that has lost what it answered is told as a note. */
const beginWithInput = (segments: Segment[], { first, at }: KnownOfHistory, report: Report): void => {
  for (const segment of segments) {
    if (first > 0) return;
    if (!segment.turn) {
      if (segment.inputs.length > 0) return;
      continue;
    }
    const { from, entry } = segment.turn;
    const words = entry.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const text = words.trim() === "" ? lostNote : recoveredNote(words);
    report("turn-without-input", from, "What this turn answered is gone; it was set aside, and its words kept.");
    segment.inputs = [{ from, at: from, entry: { kind: "user", at, text, repaired: 1 } }, ...segment.inputs];
    segment.turn = null;
    return;
  }
};

/**
 * Gives a result to each call that has none, but for those that the record waits for and that are still at the place it
 * knows: only the last turn can have such, with nothing behind it. Returns those.
 */
const answered = (
  segments: readonly Segment[],
  { at }: KnownOfHistory,
  outstanding: ReadonlyMap<CallId, number>,
  report: Report,
): ReadonlySet<CallId> => {
  const last = segments.findLast(({ turn }) => turn !== null);
  const open = new Set<CallId>();
  for (const segment of segments) {
    const { turn, calls, inputs } = segment;
    if (!turn) continue;
    for (const [index, called] of calls.entries()) {
      const { callId, name } = called.part;
      const place = turn.at + 1 + index;
      if (called.result) continue;
      if (segment === last && inputs.length === 0 && outstanding.get(callId) === place) {
        open.add(callId);
        continue;
      }
      report("missing-result", place, `The call ${callId} of ${name} had no result; it has one now that says so.`);
      const entry: ResultEntry = {
        kind: "result",
        at,
        callId,
        name,
        origin: "repaired",
        content: repairedText(),
        error: true,
      };
      called.result = { from: place, at: place, entry };
    }
  }
  return open;
};

const placedOf = (segments: readonly Segment[], known: KnownOfHistory, report: Report): PlacedEntry[] => {
  const placed: PlacedEntry[] = [];
  let next = known.first;
  const put = (position: number, entry: Entry, span: number): void => {
    if (position > next) placed.push(noteOf(next, position - next, known, report));
    placed.push({ position, entry });
    next = position + span;
  };
  for (const { turn, calls, inputs } of segments) {
    if (turn) {
      put(turn.at, turn.entry, 1 + calls.length);
      for (const [index, { part, result }] of calls.entries())
        if (result)
          placed.push({ position: turn.at + 1 + index, entry: asResultOf(result, part, turn.at + 1 + index, report) });
    }
    for (const { at, entry } of inputs) put(at, entry, widthOf(entry));
  }
  return placed;
};

const asResultOf = (
  { from, entry }: Item<ResultEntry>,
  { callId, name }: { readonly callId: CallId; readonly name: string },
  position: number,
  report: Report,
): ResultEntry => {
  if (from !== position)
    report("misplaced-result", from, `The result of ${callId} stands at position ${position} now.`);
  if (entry.name !== name && entry.origin !== "repaired")
    report("misnamed-result", from, `The result of ${callId} names ${name} now, as its call does.`);
  return entry.name === name && entry.callId === callId ? entry : { ...entry, name, callId };
};

const noteOf = (position: number, width: number, { at }: KnownOfHistory, report: Report): PlacedEntry => {
  report(
    "lost-entry",
    position,
    `Nothing stood at ${width === 1 ? "this position" : `these ${width} positions`}; a note says so.`,
  );
  return { position, entry: { kind: "user", at, text: lostNote, repaired: width } };
};

/** What has to be written, and taken out, to come from one to the other. */
const changesOf = (
  rows: readonly StoredRow[],
  placed: readonly PlacedEntry[],
): Pick<HistoryRepair, "entries" | "removed"> => {
  const before = new Map(rows.map((row) => [row.position, row]));
  const after = new Set(placed.map(({ position }) => position));
  const isSame = ({ position, entry }: PlacedEntry): boolean => {
    const row = before.get(position);
    return row !== undefined && isReadable(row) && row.entry === entry;
  };
  return {
    entries: placed.filter((each) => !isSame(each)),
    removed: [...before.keys()].filter((position) => !after.has(position)),
  };
};
