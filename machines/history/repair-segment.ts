import type { CallPart, Entry, ResultEntry, TurnEntry, TurnPart } from "./entry.ts";
import type { CallId } from "./ids.ts";
import { partsWithout } from "./repair-entry.ts";
import type { Report } from "./repair-report.ts";

/** An entry on its way to its place. */
export interface Item<E extends Entry = Entry> {
  /** The position at which it is stored. */
  readonly from: number;
  /** The position at which it is to stand. */
  readonly at: number;
  readonly entry: E;
}

/** A call of a turn, and what was found for it. */
export interface Called {
  readonly part: CallPart;
  /** The id under which it and its result are stored. */
  readonly storedId: CallId;
  result?: Item<ResultEntry>;
}

/** A turn and what stands behind it up to the next one. The first segment has no turn, unless the history begins with one. */
export interface Segment {
  turn: Item<TurnEntry> | null;
  calls: Called[];
  /** Everything behind the turn but results, ascending. */
  inputs: Item[];
  /** Results that stand here, whatever call they belong to. */
  readonly results: Item<ResultEntry>[];
}

export const isTurn = (item: Item): item is Item<TurnEntry> => item.entry.kind === "turn";
export const isResult = (item: Item): item is Item<ResultEntry> => item.entry.kind === "result";

/** The items cut before each turn. */
export const segmentsOf = (items: readonly Item[]): Segment[] => {
  let open: Segment = { turn: null, calls: [], inputs: [], results: [] };
  const segments = [open];
  for (const item of items) {
    if (isTurn(item)) {
      open = { turn: item, calls: [], inputs: [], results: [] };
      segments.push(open);
    } else if (isResult(item)) open.results.push(item);
    else open.inputs.push(item);
  }
  return segments;
};

const withParts = (item: Item<TurnEntry>, parts: TurnPart[]): Item<TurnEntry> => ({
  ...item,
  entry: { ...item.entry, parts },
});

/**
 * Finds the calls of each turn. A call that is twice in one turn is taken out; one whose id an earlier turn or a seed has
 * gets another from `freshCall`, and so does its result.
 */
export const nameCalls = (segments: readonly Segment[], freshCall: () => CallId, report: Report): void => {
  const used = new Set<CallId>();
  for (const segment of segments) {
    if (segment.turn) nameCallsOf(segment, segment.turn, used, freshCall, report);
    segment.inputs = segment.inputs.map((item) => {
      if (item.entry.kind !== "seed") return item;
      const callId = used.has(item.entry.callId) ? freshCall() : item.entry.callId;
      used.add(callId);
      if (callId === item.entry.callId) return item;
      report("doubled-call", item.from, `Its id was used before; it is ${callId} now.`);
      return { ...item, entry: { ...item.entry, callId } };
    });
  }
};

const nameCallsOf = (
  segment: Segment,
  turn: Item<TurnEntry>,
  used: Set<CallId>,
  freshCall: () => CallId,
  report: Report,
): void => {
  const own = new Set<CallId>();
  const parts = turn.entry.parts.flatMap((part): TurnPart[] => {
    if (part.type !== "call") return [part];
    if (own.has(part.callId)) {
      report("doubled-call", turn.from, `The call ${part.callId} was twice in the turn; the second one was set aside.`);
      return [];
    }
    own.add(part.callId);
    const callId = used.has(part.callId) ? freshCall() : part.callId;
    used.add(callId);
    const named = callId === part.callId ? part : { ...part, callId };
    if (named !== part)
      report("doubled-call", turn.from, `The id ${part.callId} was used before; the call is ${callId} now.`);
    segment.calls.push({ part: named, storedId: part.callId });
    return [named];
  });
  const isSame =
    parts.length === turn.entry.parts.length && parts.every((part, index) => part === turn.entry.parts[index]);
  if (!isSame) segment.turn = withParts(turn, parts);
};

/**
 * Gives each call its result: first those that stand behind their own turn, the one at the right place before others, then
 * those that strayed. What nothing asks for is left out.
 */
export const claimResults = (segments: readonly Segment[], report: Report): void => {
  const owners = new Map<CallId, Called>();
  for (const { calls } of segments)
    for (const called of calls) if (!owners.has(called.storedId)) owners.set(called.storedId, called);
  const strays: Item<ResultEntry>[] = [];
  for (const { turn, calls, results } of segments) {
    const own = new Map(calls.map((called) => [called.storedId, called]));
    const placeOf = (called: Called): number => (turn?.at ?? -1) + 1 + calls.indexOf(called);
    const isHome = (item: Item<ResultEntry>): boolean => {
      const called = own.get(item.entry.callId);
      return called !== undefined && placeOf(called) === item.at;
    };
    if (results.length === 0) continue;
    const inOrder = [...results.filter(isHome), ...results.filter((item) => !isHome(item))];
    for (const item of inOrder) {
      const called = own.get(item.entry.callId);
      if (called && !called.result) called.result = item;
      else strays.push(item);
    }
  }
  for (const item of strays) {
    const { callId } = item.entry;
    const owner = owners.get(callId);
    if (owner && !owner.result) owner.result = item;
    else if (owner) report("doubled-result", item.from, `The call ${callId} had a result; this one was set aside.`);
    else report("orphaned-result", item.from, `No turn has the call ${callId}; its result was set aside.`);
  }
};

/** Takes calls out of a turn, those without a result first, the last ones first, until there is room for everything. */
export const cutCalls = (segment: Segment, room: number, report: Report): void => {
  const { turn, inputs } = segment;
  const surplus = segment.calls.length + inputs.length - room;
  if (!turn || surplus <= 0) return;
  const byNeed = [...segment.calls.filter(({ result }) => result), ...segment.calls.filter(({ result }) => !result)];
  const gone = new Set(byNeed.slice(Math.max(0, byNeed.length - surplus)));
  for (const { part, result } of gone) {
    report("cut-call", turn.from, `There was no room for the result of ${part.callId}; the call was set aside.`);
    if (result)
      report("orphaned-result", result.from, `The call ${part.callId} was set aside, and its result with it.`);
  }
  segment.calls = segment.calls.filter((called) => !gone.has(called));
  const parts = new Set<TurnPart>([...gone].map(({ part }) => part));
  segment.turn = withParts(turn, partsWithout(turn.entry.parts, parts));
};
