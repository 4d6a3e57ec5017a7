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
