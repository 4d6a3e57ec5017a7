import { OptionError } from "../../errors.ts";
import type { Io } from "../io.ts";

/**
 * The text to send: the words, or all of standard input when the only word is `-`, without the line end behind it. Bytes
 * that are no UTF-8 become U+FFFD. Throws OptionError for text that says nothing, and for standard input beyond `limit`
 * bytes, of which no more is read.
 */
export const textToSend = async (
  words: readonly string[],
  { stdin }: Pick<Io, "stdin">,
  limit: number,
): Promise<string> => {
  const text = words.length === 1 && words[0] === "-" ? await everythingIn(stdin, limit) : words.join(" ");
  if (text.trim() === "") throw new OptionError("TEXT", "is blank; say something");
  return text;
};

const everythingIn = async (stdin: Io["stdin"], limit: number): Promise<string> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const read of stdin) {
    const piece = typeof read === "string" ? Buffer.from(read) : (read as Buffer);
    pieces.push(piece);
    size += piece.length;
    if (size > limit + 2)
      throw new OptionError(
        "TEXT",
        `is - and standard input has more than the ${limit.toLocaleString("en-US")} bytes that one input may have. Send a part of it, or say where the whole can be read`,
      );
  }
  return Buffer.concat(pieces)
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .replace(/\r?\n$/, "");
};
