import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutForModel } from "../../src/prompt/cut.ts";

describe("a text that is too long for the model", () => {
  it("keeps head and tail and says how much was left out", () => {
    const cut = cutForModel(`${"a".repeat(50_000)}${"z".repeat(50_000)}`);
    expect(cut.length).toBeLessThanOrEqual(32_000);
    expect(cut.length).toBeGreaterThan(31_990);
    expect(cut).toMatch(/^a+\n\[… 68,0\d\d of 100,000 characters left out …\]\nz+$/);
  });

  it("stays as it is when it fits", () => {
    expect(cutForModel("short")).toBe("short");
    expect(cutForModel("a".repeat(32_000))).toBe("a".repeat(32_000));
  });

  it("never exceeds the limit, never splits a code point, and counts truly", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "é", "😀", "👩‍👩‍👧"), minLength: 1, maxLength: 100, size: "max" }),
        fc.nat(300),
        (whole, limit) => {
          const cut = cutForModel(whole, limit);
          expect(cut.length).toBeLessThanOrEqual(limit);
          expect(cut.isWellFormed()).toBe(true);
          const [note = "", left = ""] = /\n\[… ([\d,]+) of [\d,]+ characters left out …\]\n/.exec(cut) ?? [];
          if (!note) return void expect(whole.startsWith(cut)).toBe(true);
          const [head = "?", tail = "?"] = cut.split(note);
          expect(head.length + tail.length + Number(left.replaceAll(",", ""))).toBe(whole.length);
          expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        },
      ),
    ));
});
