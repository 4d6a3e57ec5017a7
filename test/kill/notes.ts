import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * What the world outside remembers: one line of JSON for each thing it saw, on the disk before anything else goes on. Beside
 * the store's file it is all that outlives a process, and it knows nothing of the store.
 */
export interface Notebook<Note extends object> {
  add(note: Note): void;
}

/** Writes behind what is there. */
export const notebook = <Note extends object>(file: string): Notebook<Note> => {
  const descriptor = openSync(file, "a");
  return {
    add(note) {
      writeSync(descriptor, `${JSON.stringify(note)}\n`);
      fsyncSync(descriptor);
    },
  };
};

/** All notes, oldest first; none when there is no such file. A line without its end is still being written. */
export const notesIn = <Note extends object>(file: string): Note[] => {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Note);
};
