import { type CallPart, callsOf, type Entry, type PlacedEntry } from "./entry.ts";
import type { CallId } from "./ids.ts";
import { widthOf } from "./stored-row.ts";

/** A call, where its result belongs, and whether it is of the last turn. */
interface Place {
  readonly call: CallPart;
  readonly position: number;
  readonly inLastTurn: boolean;
}

const isBlank = (text: string): boolean => text.trim() === "";

const nounOf: Record<Entry["kind"], string> = {
  user: "a user text",
  turn: "a turn",
  result: "a result",
  event: "an event",
  seed: "a seed",
};

/** The place that each call reserves, by call id; of calls that share an id, the first. */
const placesOf = (history: readonly PlacedEntry[]): ReadonlyMap<CallId, Place> => {
  const places = new Map<CallId, Place>();
  const lastTurn = history.findLast(({ entry }) => entry.kind === "turn");
  for (const placed of history) {
    if (placed.entry.kind !== "turn") continue;
    for (const [index, call] of callsOf(placed.entry).entries()) {
      if (places.has(call.callId)) continue;
      places.set(call.callId, { call, position: placed.position + 1 + index, inLastTurn: placed === lastTurn });
    }
  }
  return places;
};

/** Faults of one entry that can be seen without the others. */
const faultsWithin = (entry: Entry): string[] => {
  if (entry.kind === "user") return isBlank(entry.text) ? ["a blank user text"] : [];
  if (entry.kind === "event") return isBlank(entry.text) ? ["a blank event"] : [];
  if (entry.kind === "seed") return isBlank(entry.text) ? ["a blank seed"] : [];
  if (entry.kind === "result") {
    const blank = entry.content.some((item) => item.type === "text" && isBlank(item.text));
    if (blank) return [`the result of ${entry.callId} has a blank text part`];
    return entry.content.length === 0 ? [`the result of ${entry.callId} has no content`] : [];
  }
  const blank = entry.parts.some((part) => part.type === "text" && isBlank(part.text));
  return blank ? ["the turn has a blank text part"] : [];
};

/** A seed stands for a call too, one that has its result with it. */
const callIdsOf = (entry: Entry): CallId[] => {
  if (entry.kind === "seed") return [entry.callId];
  return entry.kind === "turn" ? callsOf(entry).map(({ callId }) => callId) : [];
};

const faultsOfCalls = (history: readonly PlacedEntry[]): string[] => {
  const seen = new Set<CallId>();
  return history.flatMap(({ position, entry }) =>
    callIdsOf(entry).flatMap((callId) => {
      if (seen.has(callId)) return [`position ${position}: the call id ${callId} was used before`];
      seen.add(callId);
      return [];
    }),
  );
};

const faultsOfResults = (history: readonly PlacedEntry[], places: ReadonlyMap<CallId, Place>): string[] => {
  const answered = new Set<CallId>();
  return history.flatMap(({ position, entry }) => {
    if (entry.kind !== "result") return [];
    const { callId, name } = entry;
    const place = places.get(callId);
    const at = `position ${position}: the result of ${callId}`;
    if (!place) return [`${at} has no call`];
    const faults: string[] = [];
    if (answered.has(callId)) faults.push(`${at} is a second one`);
    else if (position !== place.position) faults.push(`${at} belongs at position ${place.position}`);
    if (name !== place.call.name) faults.push(`${at} names ${name}, its call ${place.call.name}`);
    answered.add(callId);
    return faults;
  });
};

/** Every position is taken but for the places of outstanding calls, and what is taken there is the call's result. */
const faultsOfPositions = (
  history: readonly PlacedEntry[],
  places: ReadonlyMap<CallId, Place>,
  outstanding: ReadonlySet<CallId>,
): string[] => {
  const reserved = new Map([...places.values()].map((place) => [place.position, place]));
  const faults: string[] = [];
  let next = 0;
  for (const { position, entry } of history) {
    if (position < next) {
      faults.push(`position ${position}: ${nounOf[entry.kind]} does not stand behind the entry before it`);
      continue;
    }
    // No more than a reader can use, should a position be absurd.
    const gap = Array.from({ length: Math.min(position - next, 1_000) }, (_, index) => next + index);
    for (const empty of gap) {
      const call = reserved.get(empty)?.call;
      if (!call) faults.push(`position ${empty}: nothing stands there, and no call reserves it`);
      else if (!outstanding.has(call.callId)) faults.push(`position ${empty}: the result of ${call.callId} is missing`);
    }
    const owner = reserved.get(position)?.call;
    if (owner && entry.kind !== "result")
      faults.push(`position ${position}: ${nounOf[entry.kind]} stands at the place of the result of ${owner.callId}`);
    next = position + (entry.kind === "user" ? widthOf(entry) : 1);
  }
  for (const { call, position } of places.values())
    if (position >= next && !outstanding.has(call.callId))
      faults.push(`position ${position}: the result of ${call.callId} is missing`);
  return faults;
};

const faultsOfOutstanding = (
  history: readonly PlacedEntry[],
  places: ReadonlyMap<CallId, Place>,
  outstanding: ReadonlySet<CallId>,
): string[] => {
  const answered = new Set(history.flatMap(({ entry }) => (entry.kind === "result" ? [entry.callId] : [])));
  return [...outstanding].flatMap((callId) => {
    const place = places.get(callId);
    if (!place) return [`the outstanding call ${callId} is in no turn`];
    if (answered.has(callId)) return [`position ${place.position}: the outstanding call ${callId} has a result`];
    if (!place.inLastTurn)
      return [`position ${place.position}: the outstanding call ${callId} is not of the last turn`];
    const later = history.find(({ position, entry }) => position > place.position && entry.kind !== "result");
    return later
      ? [`position ${later.position}: ${nounOf[later.entry.kind]} follows while ${callId} is outstanding`]
      : [];
  });
};

/**
 * What breaks R5 in a whole stored history, one sentence each; none when it is well formed. `history` in the order it is
 * stored, from position 0; `outstanding`: the calls that the record says have no result yet.
 * Reasoning at the end of a turn is no fault here: it is stored, and left out of requests where a user text follows.
 */
export const faultsOf = (history: readonly PlacedEntry[], outstanding: readonly CallId[]): string[] => {
  const places = placesOf(history);
  const open = new Set(outstanding);
  return [
    ...history.flatMap(({ position, entry }) => faultsWithin(entry).map((fault) => `position ${position}: ${fault}`)),
    ...faultsOfCalls(history),
    ...faultsOfResults(history, places),
    ...faultsOfPositions(history, places, open),
    ...faultsOfOutstanding(history, places, open),
  ];
};
