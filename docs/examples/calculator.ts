import { defineTool, ToolError } from "wakeful";
import { z } from "zod";

/**
 * The value of an expression of numbers, + - * / and parentheses, by the usual precedence:
 *
 *     sum     = product (("+" | "-") product)*
 *     product = factor (("*" | "/") factor)*
 *     factor  = "-" factor | "(" sum ")" | number
 */
export const evaluate = (expression: string): number => {
  const tokens = expression.match(/\d+(?:\.\d+)?|\S/gu) ?? [];
  const next = () => tokens.shift();
  const takes = (...signs: string[]) => signs.find((sign) => sign === tokens[0] && next());

  const sum = (): number => {
    let value = product();
    for (let sign = takes("+", "-"); sign; sign = takes("+", "-")) value += sign === "+" ? product() : -product();
    return value;
  };
  const product = (): number => {
    let value = factor();
    for (let sign = takes("*", "/"); sign; sign = takes("*", "/"))
      value = sign === "*" ? value * factor() : value / factor();
    return value;
  };
  const factor = (): number => {
    if (takes("-")) return -factor();
    if (!takes("(")) return number(next());
    const value = sum();
    if (!takes(")")) throw unreadable(next(), "a closing parenthesis");
    return value;
  };
  const number = (token: string | undefined): number => {
    if (!token || !/^\d/.test(token)) throw unreadable(token, "a number");
    return Number(token);
  };

  const value = sum();
  if (tokens.length > 0) throw unreadable(next(), "an operator or the end");
  if (!Number.isFinite(value)) throw new ToolError(`${expression} has no value: it divides by zero or is too large.`);
  return value;
};

const unreadable = (token = "the end", expected: string) =>
  new ToolError(`Expected ${expected} instead of ${token}. Use numbers, + - * / and parentheses.`);

/** An inline tool: its result is there at once, and the model goes on in the same breath. */
export const calculate = defineTool({
  name: "calculate",
  description: "Calculate the value of an expression of numbers, + - * / and parentheses.",
  inputSchema: z.object({ expression: z.string().max(500).describe("For example (2 + 3) * 4") }),
  annotations: { readOnly: true },
  display: ({ expression }) => `Calculate ${expression}`,
  inline: ({ expression }) => String(Number(evaluate(expression).toPrecision(15))),
});
