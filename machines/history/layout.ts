import { callsOf } from "./entry.ts";
import type { Report } from "./repair-report.ts";
import type { Item, Segment } from "./repair-segment.ts";
import { cutCalls } from "./repair-segment.ts";
import { widthOf } from "./stored-row.ts";

/** Items that are no result, in order, each with the positions it accounts for: a turn those of its results too. */
interface Block {
  readonly item: Item;
  readonly segment: Segment;
}

const blocksOf = (segments: readonly Segment[]): Block[] =>
  segments.flatMap((segment) => [
    ...(segment.turn ? [{ item: segment.turn, segment }] : []),
    ...segment.inputs.map((item) => ({ item, segment })),
  ]);

const spanOf = ({ entry }: Item): number => (entry.kind === "turn" ? 1 + callsOf(entry).length : widthOf(entry));

/**
 * Where each item can stand at the latest: where it is stored, or in front of what follows. What stays keeps its position,
 * because children and the record refer to it.
 */
const latestOf = (blocks: readonly Block[], end: number): number[] => {
  const latest: number[] = [];
  let next = end;
  for (const { item } of blocks.toReversed()) {
    next = Math.min(item.from, next - spanOf(item));
    latest.push(next);
  }
  return latest.reverse();
};

/**
 * Gives every item a position from `first` on. Where there is no room in front of what is stored behind, calls are taken out
 * of turns; where even that makes none, everything behind moves on. Returns the position behind the last. Its work grows
 * with the number of items and no faster: a history can have hundreds of thousands.
 */
export const layOut = (segments: readonly Segment[], first: number, end: number, report: Report): number => {
  makeRoom(segments, first, end, report);
  const blocks = blocksOf(segments);
  const latest = latestOf(blocks, end);
  let next = first;
  for (const segment of segments) segment.inputs = [];
  for (const [index, { item, segment }] of blocks.entries()) {
    const at = Math.max(next, latest[index] ?? next);
    if (at !== item.from) report("misplaced-entry", item.from, `It stands at position ${at} now.`);
    if (item === segment.turn) segment.turn = { ...segment.turn, at };
    else segment.inputs.push({ ...item, at });
    next = at + spanOf(item);
  }
  return next;
};

/** One walk: what does not fit in front of an item is taken from the turns before it, the first ones first. */
const makeRoom = (segments: readonly Segment[], first: number, end: number, report: Report): void => {
  const crowded: { readonly segment: Segment; open: number; cut: number }[] = [];
  let done = 0;
  let next = first;
  const fitBefore = (from: number): void => {
    for (let turn = crowded[done]; turn && next > from; turn = crowded[done]) {
      const cut = Math.min(turn.open, next - from);
      turn.open -= cut;
      turn.cut += cut;
      next -= cut;
      if (turn.open === 0) done++;
    }
  };
  for (const { item, segment } of blocksOf(segments)) {
    fitBefore(item.from);
    next += spanOf(item);
    const open = item === segment.turn ? segment.calls.filter(({ result }) => !result).length : 0;
    if (open > 0) crowded.push({ segment, open, cut: 0 });
  }
  fitBefore(end);
  for (const { segment, cut } of crowded)
    if (cut > 0) cutCalls(segment, segment.calls.length + segment.inputs.length - cut, report);
};
