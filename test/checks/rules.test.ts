import { expect, it } from "vitest";
import { citations, uncited } from "./rules.ts";

const cited = (source: string) =>
  [...citations(new Map([["test/a.test.ts", source]]))].filter(([, paths]) => paths.length > 0).map(([rule]) => rule);

// Built from pieces, so that these titles cite nothing themselves.
const title = (n: number) => `R${n}`;

it("finds a rule in the title of a test and of a group, plain, chained or from a table", () =>
  expect(
    cited(`
      describe("${title(1)} Nothing lost", () => {
        it(\`keeps \${count} (${title(2)})\`, () => {});
        it.each([[1, "${title(9)}"]])("${title(3)}: %s", () => {});
        describe.concurrent("${title(4)}", () => {});
      })`),
  ).toEqual(["R1", "R2", "R3", "R4"]));

it("finds none in comments, other strings, skipped tests and longer words", () =>
  expect(
    cited(`
      // it("${title(1)}")
      const a = "${title(2)}";
      it.skip("${title(3)}", () => {});
      it.todo("${title(4)}");
      it("R55 and V${title(6)}", () => {});`),
  ).toEqual([]));

it("names each rule that is left over", () => {
  const all = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `it("${title(n)}", () => {});`).join("\n");
  expect(uncited(new Map([["test/a.test.ts", all]]))).toEqual([expect.stringContaining("R9 is cited by no test")]);
});
