import { type Heard, type Intent, number, numberOf, sentence } from "../intent.ts";

const asks = new RegExp(`^count(?: up)?(?: from (?:1|one))? to (${number})$`, "i");

const isReached = ({ args, text }: Pick<Heard, "args" | "text">): boolean => reached(text) >= Number(args.to);

/** The first number of an event's text. */
const reached = (text: string): number => Number(/-?\d+/.exec(text)?.[0] ?? Number.NaN);

export const count: Intent = {
  name: "count",
  example: "count to 3",
  tool: "count_up",
  read: (piece) => {
    const to = asks.exec(piece)?.[1];
    return to === undefined ? undefined : { kind: "call", name: "count_up", args: { to: numberOf(to) } };
  },
  tell: ({ args, text }) =>
    text.includes(String(args.to)) ? sentence(text) : `Counting to ${String(args.to)} has begun.`,
  // An event does not say that it is the final one; that the goal is reached does.
  ends: isReached,
  hear: ({ args, text }) => {
    const at = reached(text);
    const to = Number(args.to);
    if (Number.isNaN(at) || Number.isNaN(to)) return sentence(`The counter says: ${text}`);
    return at >= to ? `${at}. Done: I counted to ${to}.` : `${at} of ${to}.`;
  },
};
