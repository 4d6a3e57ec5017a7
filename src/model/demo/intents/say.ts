import type { Intent } from "../intent.ts";

/** `"hi"` and `hi` are the same. */
const unquoted = (text: string): string => /^(["'])(.+)\1$/s.exec(text)?.[2] ?? text;

export const say: Intent = {
  name: "say",
  example: "say hi",
  open: true,
  read: (piece) => {
    const text = /^(?:say|tell me|answer)\s+(.+)$/is.exec(piece)?.[1];
    return text === undefined ? undefined : { kind: "say", text: unquoted(text) };
  },
};
