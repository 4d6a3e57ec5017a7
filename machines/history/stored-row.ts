import type { Entry, PlacedEntry } from "./entry.ts";

/** A row of a stored history that does not read as an entry; `damaged` is what is stored there, as text. */
export interface DamagedRow {
  readonly position: number;
  readonly damaged: string;
}

/** A row of a history as it is stored. */
export type StoredRow = PlacedEntry | DamagedRow;

export const isReadable = (row: StoredRow): row is PlacedEntry => "entry" in row;

/** How many positions an entry accounts for, its own the first: more than one where a repair found a run of them empty. */
export const widthOf = (entry: Entry): number => (entry.kind === "user" ? (entry.repaired ?? 1) : 1);

/**
 * Rows of several layers as one view, ascending by position. Of two rows at a position the one of the later layer counts;
 * of one layer all do, in the order given.
 */
export const layered = (layers: readonly (readonly StoredRow[])[]): readonly StoredRow[] => {
  const [only = []] = layers;
  const rows = layers.length <= 1 ? only : withoutCovered(layers);
  return isAscending(rows) ? rows : rows.toSorted((a, b) => a.position - b.position);
};

const withoutCovered = (layers: readonly (readonly StoredRow[])[]): StoredRow[] => {
  const covered = new Set<number>();
  const kept: (readonly StoredRow[])[] = [];
  for (const layer of layers.toReversed()) {
    kept.unshift(layer.filter(({ position }) => !covered.has(position)));
    for (const { position } of layer) covered.add(position);
  }
  return kept.flat();
};

const isAscending = (rows: readonly StoredRow[]): boolean => {
  let last = Number.NEGATIVE_INFINITY;
  for (const { position } of rows) {
    if (position < last) return false;
    last = position;
  }
  return true;
};
