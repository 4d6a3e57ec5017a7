/** A line of input; `number` counts from 1. One that was longer than it may be comes as its size in bytes. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly tooLong: number };

const newline = 0x0a;

/** The line without its `\r`, and the first without a byte order mark. Bytes that are no UTF-8 become U+FFFD. */
const decoded = (pieces: readonly Uint8Array[], number: number): string => {
  const text = Buffer.concat(pieces).toString("utf8");
  return (number === 1 ? text.replace(/^\ufeff/, "") : text).replace(/\r$/, "");
};

/**
 * The lines of a stream, each as soon as it is whole; the last may lack its line end. At most `limit` bytes of a line are
 * kept in memory, however long it is. Reading waits while nobody asks for the next line.
 */
export async function* linesOf(input: AsyncIterable<Uint8Array | string>, limit: number): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let number = 0;
  const take = (piece: Uint8Array): void => {
    size += piece.length;
    if (size <= limit) pieces.push(piece);
    else pieces = [];
  };
  const end = (): Line => {
    number += 1;
    const line = size > limit ? { number, tooLong: size } : { number, text: decoded(pieces, number) };
    pieces = [];
    size = 0;
    return line;
  };

  for await (const read of input) {
    const chunk = typeof read === "string" ? Buffer.from(read) : read;
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at));
      from = at + 1;
      yield end();
    }
    take(chunk.subarray(from));
  }
  if (size > 0) yield end();
}
