const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Whether a cut at `index` would split a code point. */
export const splits = (text: string, index: number): boolean =>
  isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1));

/**
 * The part of a text from `from` to `to`, in UTF-16 units, moved so that no code point is split: one that is cut by the
 * beginning is left to the part before, one that is cut by the end belongs to this part.
 */
export const wholeCodePoints = (
  text: string,
  from: number,
  to: number,
): { readonly text: string; readonly start: number; readonly end: number } => {
  const last = Math.min(to, text.length);
  const start = splits(text, from) ? from + 1 : from;
  const end = splits(text, last) ? last + 1 : last;
  return { text: text.slice(start, end), start, end };
};
