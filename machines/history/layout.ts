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
    latest.unshift(next);
  }
  return latest;
};

/**
 * Gives every item a position from `first` on. Where there is no room in front of what is stored behind, calls are taken out
 * of turns; where even that makes none, everything behind moves on. Returns the position behind the last.
 */
export const layOut = (segments: readonly Segment[], first: number, end: number, report: Report): number => {
  makeRoom(segments, first, end, report);
  const blocks = blocksOf(segments);
  const latest = latestOf(blocks, end);
  let next = first;
  for (const [index, { item, segment }] of blocks.entries()) {
    const at = Math.max(next, latest[index] ?? next);
    const moved = { ...item, at };
    if (at !== item.from) report("misplaced-entry", item.from, `It stands at position ${at} now.`);
    if (item === segment.turn) segment.turn = { ...segment.turn, at };
    else segment.inputs = segment.inputs.map((other) => (other === item ? moved : other));
    next = at + spanOf(item);
  }
  return next;
};

const makeRoom = (segments: readonly Segment[], first: number, end: number, report: Report): void => {
  for (;;) {
    const latest = latestOf(blocksOf(segments), end);
    const lacking = first - (latest[0] ?? first);
    if (lacking <= 0) return;
    const crowded = segments.find(({ turn, calls }) => turn && calls.some(({ result }) => !result));
    if (!crowded) return;
    const open = crowded.calls.filter(({ result }) => !result).length;
    cutCalls(crowded, crowded.calls.length + crowded.inputs.length - Math.min(open, lacking), report);
  }
};
