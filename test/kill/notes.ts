import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

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

/** What comes to a file from call to call: each call gives the notes that are whole by then and were not given before. */
export const newNotesIn = <Note extends object>(file: string): (() => Note[]) => {
  let position = 0;
  return () => {
    if (!existsSync(file)) return [];
    const descriptor = openSync(file, "r");
    try {
      const fresh = Buffer.alloc(fstatSync(descriptor).size - position);
      readSync(descriptor, fresh, 0, fresh.length, position);
      const whole = fresh.subarray(0, fresh.lastIndexOf("\n") + 1);
      position += whole.length;
      const lines = whole.toString("utf8").split("\n").slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Note);
    } finally {
      closeSync(descriptor);
    }
  };
};
