import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { Io, StopSignal } from "../../src/cli/io.ts";

/** The world of a program that a test runs: what is typed, what was written, and signals. */
export const fakeIo = ({ isTTY = false, env = {} as Record<string, string> } = {}) => {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const written = { out: "", err: "" };
  stdout.on("data", (chunk) => {
    written.out += chunk;
  });
  stderr.on("data", (chunk) => {
    written.err += chunk;
  });
  const listeners = new Set<(signal: StopSignal) => void>();
  const left: number[] = [];
  const io: Io = {
    stdin,
    stdout,
    stderr,
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
    stdout,
    written,
    /** Codes with which the process would have been left at once. */
    left,
    signal: (signal: StopSignal) => {
      for (const listener of listeners) listener(signal);
    },
    get listening() {
      return listeners.size;
    },
  };
};

const erased = ["\u001b[0J", "\u001b[2K", "\n"];

/** What a terminal shows on its last line after `written`. */
export const lastLineOf = (written: string): string => {
  const start = Math.max(...erased.map((sequence) => written.lastIndexOf(sequence) + sequence.length));
  return stripVTControlCharacters(written.slice(start));
};
