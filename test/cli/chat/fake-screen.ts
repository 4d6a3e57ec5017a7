import { PassThrough, Writable } from "node:stream";
import stringWidth from "string-width";
import type { Io, StopSignal } from "../../../src/cli/io.ts";

/** What a terminal of that many columns shows: the sequences that readline writes, and no others. */
const screenOf = (columns: number) => {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const line = (): string[] => {
    while (rows.length <= row) rows.push([]);
    return rows[row] as string[];
  };
  const put = (character: string): void => {
    const width = stringWidth(character);
    if (column + width > columns) {
      row += 1;
      column = 0;
    }
    const cells = line();
    while (cells.length < column) cells.push(" ");
    cells.splice(column, width, character, ...Array<string>(width - 1).fill(""));
    column += width;
  };
  const obey = (command: string, count: number): void => {
    if (command === "A") row = Math.max(0, row - count);
    else if (command === "B") row += count;
    else if (command === "C") column = Math.min(columns - 1, column + count);
    else if (command === "D") column = Math.max(0, column - count);
    else if (command === "G") column = count - 1;
    else if (command === "J") {
      rows.length = row + 1;
      line().length = Math.min(line().length, column);
    } else throw new Error(`a sequence that this screen does not know: CSI ${count} ${command}`);
  };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one
  const token = /\u001b\[(\d*)([A-Za-z])|\r|\n|./gsu;
  return {
    write(text: string) {
      for (const [all, count = "", command] of text.matchAll(token)) {
        if (command === "m") continue;
        if (command) obey(command, Number(count || (command === "J" ? 0 : 1)));
        else if (all === "\r") column = 0;
        else if (all === "\n") {
          row += 1;
          column = 0;
          line();
        } else put(all);
      }
    },
    get text(): string {
      return rows
        .map((cells) => cells.join("").trimEnd())
        .join("\n")
        .trimEnd();
    },
    /** Row and column of the cursor, from 0. */
    get cursor(): readonly [number, number] {
      return [row, column];
    },
  };
};

/** A person at a terminal on which both outputs are shown. */
export const fakeScreen = ({ columns = 80, env = {} as Record<string, string> } = {}) => {
  const screen = screenOf(columns);
  const raw: string[] = [];
  const output = () =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(chunk, _encoding, done) {
          raw.push(String(chunk));
          screen.write(String(chunk));
          done();
        },
      }),
      { isTTY: true, columns },
    );
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const listeners = new Set<(signal: StopSignal) => void>();
  const left: number[] = [];
  const io: Io = {
    stdin,
    stdout: output(),
    stderr: output(),
    env,
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    leave: (code) => void left.push(code),
  };
  return {
    io,
    stdin,
    screen,
    /** Everything that was written, sequences and all. */
    get raw() {
      return raw.join("");
    },
    left,
    signal: (signal: StopSignal) => {
      for (const listener of listeners) listener(signal);
    },
  };
};
