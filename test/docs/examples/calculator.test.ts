import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calculate, evaluate } from "../../../docs/examples/calculator.ts";
import { ToolError } from "../../../src/errors.ts";
import { callWith } from "./call.ts";

/** An expression and its value, by JavaScript's own arithmetic. */
const { expression } = fc.letrec<{ expression: { text: string; value: number } }>((tie) => ({
  expression: fc.oneof(
    { depthSize: "small" },
    fc.nat({ max: 99 }).map((value) => ({ text: String(value), value })),
    fc.tuple(tie("expression"), fc.constantFrom("+", "-", "*"), tie("expression")).map(([left, sign, right]) => ({
      text: `(${left.text} ${sign}${right.text})`,
      value:
        sign === "+" ? left.value + right.value : sign === "-" ? left.value - right.value : left.value * right.value,
    })),
    tie("expression").map(({ text, value }) => ({ text: `-${text}`, value: -value })),
  ),
}));

describe("the calculator", () => {
  it.each([
    ["2 + 3", 5],
    ["2 + 3 * 4", 14],
    ["(2 + 3) * 4", 20],
    ["10 - 4 - 3", 3],
    ["24 / 4 / 3", 2],
    ["-2 * -3", 6],
    ["--1", 1],
    ["1.5+1.5", 3],
    ["((7))", 7],
  ])("knows that %s is %d", (text, value) => expect(evaluate(text)).toBe(value));

  it("agrees with JavaScript, whatever the expression", () =>
    fc.assert(
      fc.property(expression, ({ text, value }) => {
        expect(evaluate(text)).toBe(value);
      }),
    ));

  it.each([
    ["", "Expected a number instead of the end"],
    ["2 +", "Expected a number instead of the end"],
    ["2 3", "Expected an operator or the end instead of 3"],
    ["(2", "Expected a closing parenthesis instead of the end"],
    ["2)", "Expected an operator or the end instead of )"],
    ["process.exit()", "Expected a number instead of p"],
    ["2 ** 3", "Expected a number instead of *"],
    [".5", "Expected a number instead of ."],
    ["😀", "Expected a number instead of 😀"],
    ["1 / 0", "has no value"],
  ])("says of %j what is wrong", (text, said) => expect(() => evaluate(text)).toThrow(said));

  it("refuses with an error that the model reads, whatever the text", () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(evaluate(text)).toEqual(expect.any(Number));
        } catch (error) {
          expect(error).toBeInstanceOf(ToolError);
        }
      }),
    ));

  it("answers inline, without the noise of binary fractions", () => {
    if (calculate.form !== "inline") expect.unreachable();
    expect(calculate.inline({ expression: "0.1 + 0.2" }, callWith())).toBe("0.3");
  });

  it("takes no expression so long that it could exhaust the stack", () => {
    expect(calculate.parse({ expression: "(".repeat(501) }).ok).toBe(false);
    expect(() => evaluate(`${"(".repeat(250)}1${")".repeat(249)}`)).toThrow(ToolError);
  });
});
