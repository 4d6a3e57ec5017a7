import { type Intent, number, numberOf } from "../intent.ts";

const asks = new RegExp(
  `^(?:sleep|wait|rest|pause)(?: for)? (${number})(?: ?(s|seconds?|sec|m|minutes?|min|h|hours?))?$`,
  "i",
);

const secondsIn = { s: 1, m: 60, h: 3600 } as const;

const lengthOf = (unit: string | undefined): number => {
  const letter = unit?.[0]?.toLowerCase();
  return letter === "m" || letter === "h" ? secondsIn[letter] : secondsIn.s;
};

/** `2` and `minutes` as seconds. */
export const secondsOf = (amount: string, unit: string | undefined): number => numberOf(amount) * lengthOf(unit);

export const sleep: Intent = {
  name: "sleep",
  example: "sleep 1 then say hi",
  tool: "sleep",
  read: (piece) => {
    const [, amount, unit] = asks.exec(piece) ?? [];
    if (amount === undefined) return undefined;
    return { kind: "call", name: "sleep", args: { seconds: secondsOf(amount, unit) }, waits: true };
  },
  tell: ({ last }) => (last ? "I am awake again." : ""),
};
