import { splits } from "../tool/code-points.ts";

/** UTF-16 units of one result that a model is shown; the whole stays in the store. */
export const shownOfResult = 32_000;

const count = (units: number): string => units.toLocaleString("en-US");

/**
 * Head and tail of a text that is longer than `limit` UTF-16 units, with a note between them that says how much was left
 * out, and how the rest is read where `isReadable`. The whole is at most `limit` units long and no code point is split. A
 * limit too small for the note gives the head.
 */
export const cutForModel = (text: string, limit: number = shownOfResult, isReadable = false): string => {
  if (text.length <= limit) return text;
  const how = isReadable ? "; read_result with the id of this call reads them" : "";
  const noteFor = (left: number) => `\n[… ${count(left)} of ${count(text.length)} characters left out${how} …]\n`;
  const room = limit - noteFor(text.length).length;
  const headEnd = room < 2 ? Math.max(0, limit) : Math.ceil(room / 2);
  const head = text.slice(0, splits(text, headEnd) ? headEnd - 1 : headEnd);
  if (room < 2) return head;
  const tailStart = text.length - Math.floor(room / 2);
  const tail = text.slice(splits(text, tailStart) ? tailStart + 1 : tailStart);
  return head + noteFor(text.length - head.length - tail.length) + tail;
};
