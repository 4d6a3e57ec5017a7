import type { Readable, Writable } from "node:stream";
import { terminalText } from "./run/terminal-text.ts";

export type StopSignal = "SIGINT" | "SIGTERM";

/** What the program has of the world; tests give their own. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** The conversation, and nothing else. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** Notices and errors, a line each. */
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls `listener` for each signal, until the returned function is called. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** Ends the process at once. */
  leave(code: number): void;
}

const signals: readonly StopSignal[] = ["SIGINT", "SIGTERM"];

export const processIo: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  onSignal(listener) {
    for (const signal of signals) process.on(signal, listener);
    return () => {
      for (const signal of signals) process.off(signal, listener);
    };
  },
  leave: (code) => process.exit(code),
};

/** Says one line about the program itself. */
export const notice = ({ stderr }: Pick<Io, "stderr">, text: string): void =>
  void stderr.write(`wakeful: ${terminalText(text)}\n`);

/** Resolves once everything written so far has reached its reader, or never will. */
export const flushed = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    stream.write("", () => resolve());
  });
