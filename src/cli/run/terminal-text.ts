import { stripVTControlCharacters } from "node:util";

/** Control characters but tab and newline: C0, DEL and C1, which some terminals obey as they do escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** An escape sequence whose end is still to come, a carriage return, or half a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const unfinished = /(?:\u001b|(?:\u001b\[|\u009b)[\d;:?<=>]*|\u001b\][^\u0007\u001b]*\u001b?|\r|[\ud800-\udbff])$/;

/** The longest beginning of a sequence that is held back; what is longer is no sequence. */
const heldLimit = 2_048;

/** Text that says what it says and does nothing to the terminal. Line ends become `\n`. */
export const terminalText = (text: string): string =>
  stripVTControlCharacters(text.replace(/\r\n?/g, "\n")).replace(controls, "").toWellFormed();

/** The same for a text that comes in pieces: a sequence that is cut in two is still found. */
export interface TerminalStream {
  next(piece: string): string;
  /** What was held back; the next piece begins afresh. */
  end(): string;
}

export const terminalStream = (): TerminalStream => {
  let held = "";
  return {
    next(piece) {
      const text = held + piece;
      const at = text.slice(-heldLimit).search(unfinished);
      const cut = at < 0 ? text.length : Math.max(0, text.length - heldLimit) + at;
      held = text.slice(cut);
      return terminalText(text.slice(0, cut));
    },
    end() {
      const text = held;
      held = "";
      return terminalText(text);
    },
  };
};

/** The first lines of a long text, each cut to `width`, with a line that says how many were left out. */
export const excerpt = (text: string, { lines = 6, width = 300 } = {}): string[] => {
  const all = terminalText(text).trimEnd().split("\n");
  const shown = all.slice(0, all.length > lines + 1 ? lines : lines + 1).map((line) => cut(line, width));
  const left = all.length - shown.length;
  return left > 0 ? [...shown, `… ${left} more lines`] : shown;
};

/** A text on one line of at most `width` characters. */
export const oneLine = (text: string, width = 200): string =>
  cut(terminalText(text).replace(/\s+/g, " ").trim(), width);

const cut = (line: string, width: number): string =>
  line.length > width ? `${line.slice(0, width - 1).replace(/[\ud800-\udbff]$/, "")}…` : line;
