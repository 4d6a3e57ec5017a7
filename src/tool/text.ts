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
