import { type Heard, type Intent, sentence } from "../intent.ts";

const asks = /^split(?: (?:it|this|the work))?\s*:\s*(.+)$/is;

const task = ({ args }: Pick<Heard, "args">): string => {
  const text = String(args.instructions).trim();
  return `"${text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text}"`;
};

/** Each part is done by a child, which closes with a report. */
export const split: Intent = {
  name: "split",
  example: "split: add 2 and 3 | check build 42",
  tool: "spawn_thread",
  read: (piece) => {
    const parts = asks
      .exec(piece)?.[1]
      ?.split("|")
      .filter((part) => part.trim() !== "");
    if (!parts || parts.length === 0) return undefined;
    return parts.map((part) => ({
      kind: "call",
      name: "spawn_thread",
      args: { instructions: part.trim(), child_of: [] },
    }));
  },
  tell: (result) => `A child does ${task(result)}.`,
  hear: (event) => {
    const { text, ended } = event;
    if (!ended) return sentence(`The child for ${task(event)} says: ${text}`);
    return text === "" ? `${task(event)} is done.` : sentence(`${task(event)} is done: ${text}`);
  },
  ends: ({ ended }) => ended === true,
};
