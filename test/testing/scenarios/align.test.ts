import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align, drawRows } from "../../../src/testing/scenarios/align.ts";

const letters = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
const same = { fits: (a: string, b: string) => a === b, tellExpected: String, tellSeen: String };

const longestCommon = (a: readonly string[], b: readonly string[]): number => {
  if (a.length === 0 || b.length === 0) return 0;
  if (a[0] === b[0]) return 1 + longestCommon(a.slice(1), b.slice(1));
  return Math.max(longestCommon(a.slice(1), b), longestCommon(a, b.slice(1)));
};

describe("two lists beside each other", () => {
  it("show every item of both, in order, whatever they are", () =>
    fc.assert(
      fc.property(letters, letters, (expected, seen) => {
        const rows = align(expected, seen, same);
        expect(rows.flatMap((row) => row.expected ?? [])).toEqual(expected);
        expect(rows.flatMap((row) => row.seen ?? [])).toEqual(seen);
      }),
    ));

  it("pair as many that fit as there can be, whatever they are", () =>
    fc.assert(
      fc.property(letters, letters, (expected, seen) => {
        const fitting = align(expected, seen, same).filter(({ fits }) => fits);
        expect(fitting.every((row) => row.expected === row.seen)).toBe(true);
        expect(fitting).toHaveLength(longestCommon(expected, seen));
      }),
    ));

  it("are drawn as columns, with a mark where they differ", () => {
    const rows = align(["user", "result one", "result two"], ["user", "result two", "text"], same);
    expect(drawRows(rows)).toEqual([
      "  expected    seen",
      "  user        user",
      "≠ result one  –",
      "  result two  result two",
      "≠ –           text",
    ]);
  });

  it("are cut where they are too wide", () => {
    const [, row] = drawRows([{ fits: true, expected: "abcdef", seen: "ghijkl" }], 4);
    expect(row).toBe("  abc…  ghi…");
  });
});
