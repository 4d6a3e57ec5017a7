import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerpt, oneLine, terminalStream, terminalText } from "../../src/cli/run/terminal-text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

const inPieces = (pieces: readonly string[]): string => {
  const stream = terminalStream();
  return pieces.map((piece) => stream.next(piece)).join("") + stream.end();
};
const cutAt = (text: string, places: readonly number[]): string[] => {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
};

const sequence = fc.constantFrom(
  "\u001b[31m",
  "\u001b[2J",
  "\u001b[1;1H",
  "\u001b]8;;https://example.com\u0007",
  "\u001b]0;title\u0007",
  "\r\n",
  "\u0007",
  "\u009b2J",
);
const anyText = fc
  .array(
    fc.oneof(fc.string({ unit: "binary" }), sequence, fc.constantFrom("\u001b", "\u001b[", "\ud83d", "\ude00", "\r")),
  )
  .map((parts) => parts.join(""));
const speech = fc
  .array(fc.oneof(fc.constantFrom("word ", "😀", "ü", "\n", "\t"), sequence))
  .map((parts) => parts.join(""));

describe("text for a terminal", () => {
  it("never holds a control character but tab and newline, in one piece or in many", () =>
    fc.assert(
      fc.property(anyText, fc.array(fc.nat()), (text, places) => {
        for (const shown of [terminalText(text), inPieces(cutAt(text, places))]) {
          expect(shown).not.toMatch(obeyed);
          expect(shown.isWellFormed()).toBe(true);
        }
      }),
    ));

  it("is the same wherever a stream cuts it", () =>
    fc.assert(
      fc.property(speech, fc.array(fc.nat()), (text, places) => {
        expect(inPieces(cutAt(text, places))).toBe(terminalText(text));
      }),
    ));

  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["a cleared screen", "a\u001b[2Jb", "ab"],
    ["a link", "\u001b]8;;https://example.com\u0007here\u001b]8;;\u0007", "here"],
    ["a line that overwrites itself", "10%\r20%\r\n", "10%\n20%\n"],
    ["a bell and a backspace", "\u0007a\u0008", "a"],
    ["the 8-bit forms", "\u009b31mred", "red"],
    ["half a character", "a\ud83d", "a\ufffd"],
    ["ordinary text", "ünï\t😀\n", "ünï\t😀\n"],
  ])("loses %s", (_, text, shown) => expect(terminalText(text)).toBe(shown));
});

describe("an excerpt", () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`).join("\n");

  it("shows a short text whole", () => expect(excerpt("one\ntwo\n")).toEqual(["one", "two"]));
  it("says how many lines it leaves out", () =>
    expect(excerpt(numbered(10))).toEqual(["1", "2", "3", "4", "5", "6", "… 4 more lines"]));
  it("does not leave out a single line, whose place the note would take", () =>
    expect(excerpt(numbered(7))).toHaveLength(7));
  it("cuts a long line, and no character in two", () => {
    expect(excerpt("x".repeat(10_000))).toEqual([`${"x".repeat(299)}…`]);
    expect(excerpt(`${"x".repeat(298)}😀😀`)).toEqual([`${"x".repeat(298)}…`]);
  });
  it("keeps everything on one line where one is asked for", () =>
    expect(oneLine("  a\n\n b\t\u001b[31mc  ")).toBe("a b c"));
});
