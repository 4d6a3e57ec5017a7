import type { Intent } from "../intent.ts";

const asks = /^(?:help(?: me)?|what can you do|what do you do|who are you|what are you|hello|hi|hey|\?)$/i;

export const help: Intent = {
  name: "help",
  example: "help",
  read: (piece) => (asks.test(piece) ? { kind: "help" } : undefined),
};
