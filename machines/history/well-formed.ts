import { type CallPart, callsOf, type Entry, type TurnEntry } from "./entry.ts";
import type { CallId } from "./ids.ts";
import { isReadable, type StoredRow, widthOf } from "./stored-row.ts";

export const isBlank = (text: string): boolean => text.trim() === "";

/** A turn whose results are being read. */
interface OpenTurn {
  readonly position: number;
  readonly calls: readonly CallPart[];
  /** How many of its calls have been passed. */
  passed: number;
  /** Of those, the ones without a result. */
  readonly missing: CallPart[];
}

const saysNothing = (entry: Entry): boolean => {
  switch (entry.kind) {
    case "turn":
      return entry.parts.some((part) => part.type === "text" && isBlank(part.text));
    case "result":
      return entry.content.length === 0 || entry.content.some((item) => item.type === "text" && isBlank(item.text));
    default:
      return isBlank(entry.text);
  }
};

const opened = (position: number, turn: TurnEntry): OpenTurn => ({
  position,
  calls: callsOf(turn),
  passed: 0,
  missing: [],
});

const takesResult = (turn: OpenTurn | undefined, position: number, callId: CallId, name: string): boolean => {
  if (!turn) return false;
  const index = position - turn.position - 1;
  const call = turn.calls[index];
  if (!call || index < turn.passed || call.callId !== callId || call.name !== name) return false;
  turn.missing.push(...turn.calls.slice(turn.passed, index));
  turn.passed = index + 1;
  return true;
};

/**
 * Whether R5 holds in a thread's view, so that there is nothing to mend: one pass, which ends at the first fault.
 * `outstanding`: the places of the calls that the record says have no result, by call. `nextPosition`: where the next entry
 * goes. `first`: where the first one stands.
 */
export const isWellFormed = (
  rows: readonly StoredRow[],
  outstanding: ReadonlyMap<CallId, number>,
  nextPosition: number,
  first = 0,
): boolean => {
  const ids = new Set<CallId>();
  let next = first;
  let turn: OpenTurn | undefined;
  const isFresh = (callId: CallId): boolean => !ids.has(callId) && ids.add(callId) !== undefined;
  for (const row of rows) {
    if (!isReadable(row)) return false;
    const { position, entry } = row;
    if (saysNothing(entry)) return false;
    if (entry.kind === "result") {
      if (!takesResult(turn, position, entry.callId, entry.name)) return false;
      continue;
    }
    // Whatever is no result follows results that are complete.
    if (turn && (turn.missing.length > 0 || turn.passed < turn.calls.length)) return false;
    if (position !== next) return false;
    if (entry.kind === "seed" && !isFresh(entry.callId)) return false;
    turn = undefined;
    next += widthOf(entry);
    if (entry.kind !== "turn") continue;
    if (position === 0) return false;
    turn = opened(position, entry);
    if (!turn.calls.every(({ callId }) => isFresh(callId))) return false;
    next += turn.calls.length;
  }
  const missing = turn ? [...turn.missing, ...turn.calls.slice(turn.passed)] : [];
  return (
    next === nextPosition &&
    missing.length === outstanding.size &&
    missing.every(({ callId }) => outstanding.get(callId) === placeOf(turn, callId))
  );
};

const placeOf = (turn: OpenTurn | undefined, callId: CallId): number =>
  turn ? turn.position + 1 + turn.calls.findIndex((call) => call.callId === callId) : -1;
