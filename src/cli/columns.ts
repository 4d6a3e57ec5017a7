import type { Io } from "./io.ts";

/** Columns of a terminal; Infinity where the output is no terminal, so that nothing is cut or wrapped for other programs. */
export const columnsOf = ({ stdout }: { readonly stdout: Io["stdout"] & { readonly columns?: number } }): number =>
  stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const narrow = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Columns that a character takes on a terminal. */
const widthOf = (character: string): number => (narrow.test(character) ? 0 : wide.test(character) ? 2 : 1);

/** Text in lines of at most `width` columns, broken between words, and inside those that are longer than a line. */
const broken = (line: string, width: number): string[] => {
  const lines: string[] = [];
  let start = 0;
  let used = 0;
  /** The place behind the last space, to break at. */
  let gap = 0;
  let at = 0;
  for (const character of line) {
    const next = widthOf(character);
    // Twice at most: a blank that was left behind may make too little room for a character of two columns.
    while (used + next > width && at > start) {
      const end = gap > start ? gap : at;
      lines.push(line.slice(start, end).trimEnd());
      start = end;
      used = [...line.slice(start, at)].reduce((sum, each) => sum + widthOf(each), 0);
    }
    used += next;
    at += character.length;
    if (character === " ") gap = at;
  }
  return [...lines, line.slice(start)];
};

/** Lines of a text, indented as a whole and no wider than `columns`. */
export const wrapped = (text: string, columns: number, indent = ""): string[] => {
  const width = Math.max(8, columns - indent.length);
  return text
    .replaceAll("\t", "  ")
    .split("\n")
    .flatMap((line) => (line.length * 2 <= width ? [line] : broken(line, width)))
    .map((line) => `${indent}${line}`.trimEnd());
};

/** An id in at most `width` characters, which keeps both of its ends. */
export const shortId = (id: string, width: number): string => {
  if (id.length <= width) return id;
  const kept = Math.max(1, width - 1);
  return `${id.slice(0, Math.ceil(kept / 2))}…${id.slice(id.length - Math.floor(kept / 2))}`;
};
