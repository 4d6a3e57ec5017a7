import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callsOf, type PlacedEntry } from "../../machines/history/entry.ts";
import { faultsOf } from "../../machines/history/faults.ts";
import type { CallId } from "../../machines/history/ids.ts";
import { type HistoryRepair, repairOf } from "../../machines/history/repair.ts";
import { isReadable, type StoredRow } from "../../machines/history/stored-row.ts";
import { breaks } from "../support/history/breaks.ts";
import { anyStoredHistory, type StoredHistory } from "../support/history/histories.ts";

/** A history as its store has it: rows at positions of their own, and what the record says. */
interface Shelf {
  readonly rows: readonly StoredRow[];
  readonly calls: readonly { readonly callId: CallId; readonly position: number }[];
  readonly nextPosition: number;
}

const endOf = (entries: readonly PlacedEntry[]): number =>
  entries.reduce(
    (end, { position, entry }) => Math.max(end, position + 1 + (entry.kind === "turn" ? callsOf(entry).length : 0)),
    0,
  );

/** The record as it was before the history was broken, with the calls that the break says are outstanding. */
const shelved = (whole: StoredHistory, broken: StoredHistory): Shelf => {
  const places = new Map(
    [...whole.entries, ...broken.entries].flatMap(({ position, entry }) =>
      entry.kind === "turn" ? callsOf(entry).map(({ callId }, index) => [callId, position + 1 + index] as const) : [],
    ),
  );
  return {
    rows: [...broken.entries].sort((a, b) => a.position - b.position),
    calls: broken.outstanding.map((callId) => ({ callId, position: places.get(callId) ?? 7 })),
    nextPosition: endOf(whole.entries),
  };
};

/** Neighbours that have each other's position: how rows in another order look to who reads them by position. */
const swapped = (history: StoredHistory, choice: number): StoredHistory => {
  const index = choice % Math.max(1, history.entries.length - 1);
  const [a, b] = history.entries.slice(index, index + 2);
  if (!a || !b) return history;
  const entries = history.entries.map((each) =>
    each === a ? { ...a, position: b.position } : each === b ? { ...b, position: a.position } : each,
  );
  return { ...history, entries };
};
const everyBreak = [...breaks, { name: "entries in each other's place", break: swapped }];

const mend = (shelf: Shelf): HistoryRepair | null => {
  let fresh = 0;
  return repairOf(shelf.rows, {
    ...shelf,
    first: 0,
    at: 5_000,
    freshCall: () => `fresh#${fresh++}.0` as CallId,
  });
};

/** What a store has once the repair is part of it. */
const applied = (shelf: Shelf, repair: HistoryRepair): Shelf => {
  const gone = new Set([...repair.removed, ...repair.entries.map(({ position }) => position)]);
  return {
    rows: [...shelf.rows.filter(({ position }) => !gone.has(position)), ...repair.entries].sort(
      (a, b) => a.position - b.position,
    ),
    calls: shelf.calls.filter(({ callId }) => !repair.settled.includes(callId)),
    nextPosition: repair.nextPosition,
  };
};

const userTexts = (rows: readonly StoredRow[]): string[] =>
  rows.flatMap((row) =>
    isReadable(row) && row.entry.kind === "user" && row.entry.text.trim() ? [row.entry.text] : [],
  );

const isWhole = ({ rows, calls }: Shelf): void => {
  expect(rows.every(isReadable)).toBe(true);
  expect(
    faultsOf(
      rows.filter(isReadable),
      calls.map(({ callId }) => callId),
    ),
  ).toEqual([]);
};

describe("a history that breaks R5", () => {
  it("is left as it is when it does not", () => {
    fc.assert(
      fc.property(anyStoredHistory, (history) => {
        expect(mend(shelved(history, history))).toBeNull();
      }),
    );
  });

  it.each(everyBreak.map(({ name, break: broken }) => [name, broken] as const))("is mended: %s", (_, broken) => {
    fc.assert(
      fc.property(anyStoredHistory, fc.nat(), (whole, choice) => {
        const found = broken(whole, choice);
        if (!found) return;
        const shelf = shelved(whole, found);
        const repair = mend(shelf);
        if (!repair) return;
        const after = applied(shelf, repair);
        isWhole(after);
        expect(repair.repairs.length).toBeGreaterThan(0);
        expect(mend(after)).toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  it("is mended whatever happened to it, several things at once, with every word of the person still there", () => {
    const anyBreaks = fc.array(fc.tuple(fc.constantFrom(...everyBreak), fc.nat()), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyStoredHistory, anyBreaks, (whole, given) => {
        const broken = given.reduce((history, [{ break: one }, choice]) => one(history, choice) ?? history, whole);
        const byPosition = new Map(broken.entries.map((placed) => [placed.position, placed]));
        const entries = [...byPosition.values()].sort((a, b) => a.position - b.position);
        const shelf = shelved(whole, { ...broken, entries });
        const repair = mend(shelf);
        if (!repair) return;
        const after = applied(shelf, repair);
        isWhole(after);
        expect(mend(after)).toBeNull();
        const words = userTexts(after.rows);
        for (const text of userTexts(shelf.rows)) expect(words).toContain(text);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps what can be read of rows that are no entries, wherever they were cut or changed", () => {
    fc.assert(
      fc.property(anyStoredHistory, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (whole, choice, share) => {
        const victim = whole.entries[choice % Math.max(1, whole.entries.length)];
        if (!victim) return;
        const stored = JSON.stringify(victim.entry);
        const damaged = stored.slice(0, Math.floor(stored.length * share));
        const rows = whole.entries.map((placed) =>
          placed === victim ? { position: placed.position, damaged } : placed,
        );
        const shelf = { ...shelved(whole, whole), rows };
        const repair = mend(shelf);
        expect(repair?.repairs.map(({ kind }) => kind)).toContain("unreadable-entry");
        const after = applied(shelf, repair as HistoryRepair);
        isWhole(after);
        expect(mend(after)).toBeNull();
      }),
    );
  });

  it.each([
    ["words of the person alone, one row of them gone", false],
    ["turns whose results are all gone, without room for others", true],
  ] as const)("costs what its length costs, with 200,000 entries: %s", { timeout: 120_000 }, (_, isCrowded) => {
    const { shelf, looks } = counted(200_000, isCrowded);
    expect(mend(shelf)?.repairs.length).toBeGreaterThan(0);
    expect(looks()).toBeGreaterThan(200_000);
  });

  /** A history that is damaged in the middle, whose entries may be asked for their kind a few times each. */
  const counted = (size: number, isCrowded: boolean): { shelf: Shelf; looks: () => number } => {
    let looks = 0;
    const watched = (position: number, kind: "user" | "turn", rest: object): StoredRow => {
      const entry = {
        get kind() {
          if (++looks > 40 * size) throw new Error(`more than ${40 * size} looks at ${size} entries`);
          return kind;
        },
        at: 1,
        ...rest,
      };
      return { position, entry } as StoredRow;
    };
    const rows: StoredRow[] = [];
    while (rows.length < size) {
      const at = rows.length;
      rows.push(watched(at, "user", { text: `words ${at}` }));
      if (!isCrowded) continue;
      const callId = `t#${at}.0`;
      const part = { type: "call", callId, providerCallId: "c", name: "look", args: {} };
      rows.push(watched(at + 1, "turn", { parts: [part] }));
    }
    const nextPosition = rows.length;
    rows.splice(Math.floor(size / 2), 1);
    return { shelf: { rows, calls: [], nextPosition }, looks: () => looks };
  };
});
