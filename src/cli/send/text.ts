import { InputRefusedError, OptionError } from "../../errors.ts";
import type { Io } from "../io.ts";

/**
 * The text to send to `threadId`: the words, or all of standard input when the only word is `-`, without the line end behind
 * it. Bytes that are no UTF-8 become U+FFFD. Throws OptionError for text that says nothing, and InputRefusedError for
 * standard input beyond `limit` bytes, of which no more is read.
 */
export const textToSend = async (
  words: readonly string[],
  { stdin }: Pick<Io, "stdin">,
  threadId: string,
  limit: number,
): Promise<string> => {
  const text = words.length === 1 && words[0] === "-" ? await everythingIn(stdin, threadId, limit) : words.join(" ");
  if (text.trim() === "") throw new OptionError("TEXT", "is blank; say something");
  return text;
};

/** A line end, which is left out. */
const lineEnd = 2;

const everythingIn = async (stdin: Io["stdin"], threadId: string, limit: number): Promise<string> => {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const read of stdin) {
    const piece = typeof read === "string" ? Buffer.from(read) : (read as Buffer);
    pieces.push(piece);
    size += piece.length;
    if (size > limit + lineEnd)
      throw new InputRefusedError(
        threadId,
        `standard input has more than ${limit.toLocaleString("en-US")} bytes. Send a part of it, or say where the whole can be read.`,
      );
  }
  return Buffer.concat(pieces)
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .replace(/\r?\n$/, "");
};
