/** How many characters of one result a model is shown. */
export const shownLimit = 32_000;

/**
 * Text that every store and provider takes: lone surrogates and NUL become U+FFFD, everything else stays as it is.
 */
export const safeText = (text: string): string => text.toWellFormed().replaceAll("\0", "\uFFFD");

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** `index`, or one before it where it would split a code point. */
const boundaryAt = (text: string, index: number): number =>
  isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1)) ? index - 1 : index;

/** The first `limit` UTF-16 units of a text, with `…` in place of what was left out; no code point is split. */
export const shortened = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, boundaryAt(text, limit - 1))}…`;

/**
 * Head and tail of a text that is longer than `limit` UTF-16 units, with a note between them that says how much was left
 * out. The whole is at most `limit` units long and splits no code point. A limit too small for the note gives the head.
 */
export const cutForModel = (text: string, limit: number = shownLimit): string => {
  if (text.length <= limit) return text;
  const all = text.length.toLocaleString("en-US");
  const note = (left: number) => `\n[… ${left.toLocaleString("en-US")} of ${all} characters left out …]\n`;
  const room = limit - note(text.length).length;
  if (room < 2) return text.slice(0, boundaryAt(text, Math.max(0, limit)));
  const head = boundaryAt(text, Math.ceil(room / 2));
  const tail = text.length - Math.floor(room / 2);
  const from = boundaryAt(text, tail) === tail ? tail : tail + 1;
  return text.slice(0, head) + note(from - head) + text.slice(from);
};
