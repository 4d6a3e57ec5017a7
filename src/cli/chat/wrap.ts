import stringWidth from "string-width";
import type { Layout } from "../run/layout.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Text in writing that has no spaces may break before and after each of its characters, and so may an emoji. */
const standsAlone = (width: number): boolean => width > 1;

/** A terminal that says nothing of its width, and the narrowest that words are broken for. */
const usual = 80;
const narrowest = 8;

/**
 * Lines that end between words, at the width of a terminal; a word that is longer than a line is cut where the line ends.
 * The last column stays free, so that the cursor always stands behind the text. `columns` is asked anew for each piece: a
 * terminal may become another width.
 *
 * W1. Without its spaces and line ends, the text comes out as it went in.
 * W2. No line is wider than `columns() - 1`; a terminal of less than 9 columns is taken for one of 9.
 * W3. How the text is cut into pieces changes nothing, between characters.
 */
export const wrapAt = (columns: () => number | undefined): Layout => {
  let column = 0;
  /** What may still grow: text behind the last character that surely ended. */
  let tail = "";
  let word = "";
  let wordWidth = 0;
  /** Printed when a word follows on the same line. */
  let spaces = "";

  const limit = (): number => Math.max(narrowest, (columns() || usual) - 1);

  const placeWord = (): string => {
    if (word === "") return "";
    const room = limit();
    let out = "";
    if (column > 0 && column + spaces.length + wordWidth > room) {
      out = "\n";
      column = 0;
    } else {
      const shown = spaces.slice(0, Math.max(0, room - column - wordWidth));
      out = shown;
      column += shown.length;
    }
    out += word;
    column += wordWidth;
    word = "";
    wordWidth = 0;
    spaces = "";
    return out;
  };

  const place = (grapheme: string): string => {
    if (grapheme === "\n") {
      const out = placeWord();
      column = 0;
      spaces = "";
      return `${out}\n`;
    }
    if (grapheme === " " || grapheme === "\t") {
      const out = placeWord();
      spaces += grapheme === "\t" ? "  " : " ";
      return out;
    }
    const width = stringWidth(grapheme);
    // A word that fills a line by itself is cut there.
    const before = standsAlone(width) || wordWidth + width > limit() ? placeWord() : "";
    word += grapheme;
    wordWidth += width;
    return standsAlone(width) ? before + placeWord() : before;
  };

  const placeAll = (text: string): string => {
    let out = "";
    for (const { segment } of graphemes.segment(text)) out += place(segment);
    return out;
  };

  const flush = (): string => {
    const rest = placeAll(tail) + placeWord();
    tail = "";
    return rest;
  };
  const endLine = (): string => {
    const end = column > 0 ? "\n" : "";
    column = 0;
    spaces = "";
    return end;
  };

  return {
    next(piece) {
      const text = tail + piece;
      const last = [...graphemes.segment(text)].at(-1)?.segment ?? "";
      tail = last === "\n" ? "" : last;
      return placeAll(text.slice(0, text.length - tail.length));
    },
    flush,
    end: () => flush() + endLine(),
    endLine,
    lineEnded: () => void endLine(),
    get column() {
      return column;
    },
    fold(line, indent) {
      const inner = wrapAt(() => (columns() || usual) - indent);
      return (inner.next(line) + inner.end()).replace(/\n$/, "").split("\n");
    },
  };
};
