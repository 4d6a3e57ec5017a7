import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { wrapAt } from "../../../src/cli/chat/wrap.ts";

/** `pieces` as a terminal of that many columns shows them. */
const wrapped = (columns: number, ...pieces: readonly string[]): string => {
  const wrap = wrapAt(() => columns);
  return pieces.map((piece) => wrap.next(piece)).join("") + wrap.end();
};

describe("text at the width of a terminal", () => {
  it("ends its lines between words", () =>
    expect(wrapped(20, "The quick brown fox jumps over the lazy dog.")).toBe(
      "The quick brown fox\njumps over the lazy\ndog.\n",
    ));

  it("keeps the line ends, blank lines and indentation it has", () =>
    expect(wrapped(20, "a\n\n  b: 1\n    c\n")).toBe("a\n\n  b: 1\n    c\n"));

  it("leaves out the spaces at which a line ends", () =>
    expect(wrapped(12, "one two     three")).toBe("one two\nthree\n"));

  it("cuts a word that is longer than a line", () =>
    expect(wrapped(11, "see https://example.org/a")).toBe("see\nhttps://ex\nample.org/\na\n"));

  it("counts columns, not characters", () => {
    expect(wrapped(11, "漢字漢字漢字漢字")).toBe("漢字漢字漢\n字漢字\n");
    expect(wrapped(11, "👩‍👩‍👧‍👦 and 👍🏽👍🏽👍🏽")).toBe("👩‍👩‍👧‍👦 and 👍🏽\n👍🏽👍🏽\n");
    expect(wrapped(11, "e\u0301".repeat(10))).toBe(`${"e\u0301".repeat(10)}\n`);
  });

  it("takes a terminal that does not know its width for one of 80 columns", () => {
    const wrap = wrapAt(() => undefined);
    expect(wrap.next("x".repeat(100)) + wrap.end()).toBe(`${"x".repeat(79)}\n${"x".repeat(21)}\n`);
  });

  it("goes on at the width that a terminal gets meanwhile", () => {
    let columns = 20;
    const wrap = wrapAt(() => columns);
    const before = wrap.next("The quick brown fox jumps ");
    columns = 12;
    expect(before + wrap.next("over the lazy dog") + wrap.end()).toBe(
      "The quick brown fox\njumps over\nthe lazy\ndog\n",
    );
  });

  it("says at which column its open line goes on", () => {
    const wrap = wrapAt(() => 20);
    expect(wrap.next("Hello wor")).toBe("Hello");
    expect(wrap.column).toBe(5);
    expect(wrap.next("ld. ")).toBe("");
    expect(wrap.next("I")).toBe(" world.");
    expect(wrap.column).toBe(12);
    expect(wrap.end()).toBe(" I\n");
    expect(wrap.column).toBe(0);
    expect(wrap.end()).toBe("");
  });

  it("goes on below what was shown in between", () => {
    const wrap = wrapAt(() => 20);
    wrap.next("Hello wor");
    expect(wrap.endLine()).toBe("\n");
    expect(wrap.column).toBe(0);
    expect(wrap.next("ld") + wrap.end()).toBe("world\n");
  });

  it("folds a line beside what stands before it", () => {
    const { fold } = wrapAt(() => 20);
    expect(fold("Build 42 is green: 318 tests passed.", 4)).toEqual(["Build 42 is", "green: 318", "tests passed."]);
    expect(fold("", 4)).toEqual([""]);
  });

  const anyText = fc
    .array(
      fc.oneof(
        fc.string({ unit: "grapheme", maxLength: 12 }),
        fc.constantFrom(" ", "  ", "\n", "\t", "漢", "👩‍👩‍👧‍👦", "e\u0301", "supercalifragilistic", "\n\n    "),
      ),
    )
    .map((parts) => parts.join("").replaceAll("\r", ""));
  const anyColumns = fc.integer({ min: 9, max: 60 });
  const inked = (text: string): string => text.replaceAll(/[ \t\n]/g, "");

  it("W1: loses nothing but spaces, and adds nothing but line ends, whatever the text", () =>
    fc.assert(
      fc.property(anyText, anyColumns, (text, columns) => {
        expect(inked(wrapped(columns, text))).toBe(inked(text));
      }),
    ));

  it("W2: never makes a line as wide as the terminal", () =>
    fc.assert(
      fc.property(anyText, anyColumns, (text, columns) => {
        for (const line of wrapped(columns, text).split("\n")) expect(stringWidth(line)).toBeLessThan(columns);
      }),
    ));

  it("W3: shows the same, however the text is cut into pieces", () =>
    fc.assert(
      fc.property(anyText, anyColumns, fc.array(fc.nat(200)), (text, columns, cuts) => {
        const graphemes = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
        const at = [0, ...cuts.map((cut) => cut % (graphemes.length + 1)), graphemes.length].sort((a, b) => a - b);
        const pieces = at.slice(1).map((end, index) => graphemes.slice(at[index], end).join(""));
        expect(wrapped(columns, ...pieces)).toBe(wrapped(columns, text));
      }),
    ));
});
