import { type Intent, number, numberOf, sentence } from "../intent.ts";

const question = /^(?:what is|what's|how much is|calculate|compute|work out|evaluate)\s+/i;

const spoken: readonly (readonly [RegExp, string])[] = [
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\b(?:times|multiplied by)\b/gi, "*"],
  [/\b(?:divided by|over)\b/gi, "/"],
];

const isExpression = (text: string): boolean => /^[\d\s.+\-*/()^%]+$/.test(text) && /\d/.test(text);

/** `2*(3+4)`, `7 plus 8`. A bare number is one only when it is asked about. */
const fromExpression = (piece: string): string | undefined => {
  const asked = piece.replace(question, "");
  const written = spoken.reduce((text, [word, sign]) => text.replace(word, sign), asked).trim();
  if (!isExpression(written)) return undefined;
  return asked !== piece || /\d\s*[-+*/^%]/.test(written) ? written : undefined;
};

const two = (pattern: string): RegExp => new RegExp(`^${pattern.replaceAll("N", `(${number})`)}$`, "i");

const verbs: readonly (readonly [RegExp, (a: number, b: number) => string])[] = [
  [two("(?:multiply) N (?:by|and|with) N"), (a, b) => `${a} * ${b}`],
  [two("(?:subtract) N from N"), (a, b) => `${b} - ${a}`],
  [two("(?:divide) N by N"), (a, b) => `${a} / ${b}`],
];

const fromVerb = (piece: string): string | undefined => {
  for (const [pattern, write] of verbs) {
    const [, a, b] = pattern.exec(piece) ?? [];
    if (a !== undefined && b !== undefined) return write(numberOf(a), numberOf(b));
  }
  return undefined;
};

const isNumber = new RegExp(`^${number}$`, "i");

/** `add 2 and 3`, `add 1, 2 and 3`, `add 2 to 3`. */
const fromSum = (piece: string): string | undefined => {
  const list = /^(?:add|sum)(?: up)? (.+)$/i.exec(piece)?.[1];
  const terms = list?.split(/\s*,\s*(?:and\s+)?|\s+(?:and|to|plus|with)\s+/i) ?? [];
  if (terms.length < 2 || !terms.every((term) => isNumber.test(term))) return undefined;
  return terms.map(numberOf).join(" + ");
};

export const arithmetic: Intent = {
  name: "arithmetic",
  example: "add 2 and 3",
  tool: "calculate",
  read: (piece) => {
    const expression = fromSum(piece) ?? fromVerb(piece) ?? fromExpression(piece);
    return expression === undefined ? undefined : { kind: "call", name: "calculate", args: { expression } };
  },
  tell: ({ args, text }) => sentence(text.includes("=") ? text : `${String(args.expression)} = ${text}`),
};
