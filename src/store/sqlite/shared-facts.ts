import { callsOf, type Entry, type PlacedEntry, type TurnPart } from "../../../machines/history/entry.ts";
import type { Fact } from "../../../machines/thread/facts.ts";
import type { Input } from "../../../machines/thread/input.ts";

/**
 * Most facts say what an entry or an input says that became durable with them. Such a fact is stored without what it
 * shares, as `[where the rest is, what is its own]`: an entry by its position, an input by its `seq`. So bodies are in the
 * database once, and a feed costs what its facts have of their own. A fact that says something else stays whole.
 */
export type StoredFact = Fact | readonly [number, object];

/** An input as it is filed. */
export interface FiledInput {
  readonly dedupId: string;
  readonly input: Input;
}

/** What a fact of this kind shares with `entry`; undefined when they have nothing to do with each other. */
const sharedWithEntry = (fact: Own, entry: Entry): object | undefined => {
  switch (fact.type) {
    case "entry.added":
      return { entry };
    case "call.settled": {
      if (entry.kind !== "result" || entry.callId !== fact.callId) return undefined;
      const { name, origin, content, error, display } = entry;
      return { name, origin, content, ...(error && { error }), ...(display && { display }) };
    }
    case "call.made": {
      const part = entry.kind === "turn" ? callsOf(entry).find(({ callId }) => callId === fact.callId) : undefined;
      return part && { providerCallId: part.providerCallId, name: part.name, args: part.args };
    }
    case "round.ended":
      return entry.kind === "turn" ? { text: textOf(entry.parts) } : undefined;
    default:
      return undefined;
  }
};

/** What is left of a fact: its type, and what finds the rest again. */
interface Own {
  readonly type: string;
  readonly callId?: unknown;
}

const textOf = (parts: readonly TurnPart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** Undefined when `fact` says anything other than `shared` does. */
const without = (fact: Fact, shared: object): object | undefined => {
  const own: Record<string, unknown> = { ...fact };
  for (const [key, value] of Object.entries(shared)) {
    if (own[key] !== value) return undefined;
    delete own[key];
  }
  return own;
};

/** The facts of one commit, and the entries it brings; the values they share are the same objects. */
export const sharedWithEntries = (facts: readonly Fact[], entries: readonly PlacedEntry[]): StoredFact[] => {
  const turn = entries.findLast(({ entry }) => entry.kind === "turn");
  const byPosition = new Map(entries.map((placed) => [placed.position, placed]));
  const results = new Map(
    entries.map((placed) => [placed.entry.kind === "result" ? placed.entry.callId : "", placed] as const),
  );
  const placeOf = (fact: Fact): PlacedEntry | undefined => {
    if (fact.type === "entry.added") return byPosition.get(fact.position);
    return fact.type === "call.settled" ? results.get(fact.callId) : turn;
  };
  return facts.map((fact) => {
    const placed = placeOf(fact);
    const shared = placed && sharedWithEntry(fact, placed.entry);
    const own = shared && without(fact, shared);
    return placed && own ? [placed.position, own] : fact;
  });
};

/** The facts of one acceptance, and the input it files under `seq`. */
export const sharedWithInput = (facts: readonly Fact[], { dedupId, input }: FiledInput, seq: number): StoredFact[] =>
  facts.map((fact) => {
    const own = fact.type === "input.accepted" ? without(fact, { dedupId, input }) : undefined;
    return own ? [seq, own] : fact;
  });

/** Puts a stored fact together again; undefined when what it refers to is not what it was. */
export const wholeFact = (
  stored: StoredFact,
  { entryAt, inputOf }: { entryAt(position: number): Entry | undefined; inputOf(seq: number): FiledInput | undefined },
): Fact | undefined => {
  if (!isShared(stored)) return stored;
  const [where, own] = stored as readonly [number, Own];
  if (own.type === "input.accepted") {
    const filed = inputOf(where);
    return filed && ({ ...own, ...filed } as Fact);
  }
  const entry = entryAt(where);
  const shared = entry && sharedWithEntry(own, entry);
  return shared && ({ ...own, ...shared } as Fact);
};

const isShared = (stored: StoredFact): stored is readonly [number, object] => Array.isArray(stored);
