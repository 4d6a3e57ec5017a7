/** The rules that hold for every interleaving, crash point and redelivery, as docs/architecture.md states them. */
import type { Sources } from "./sources.ts";
import { isNode, type Node, nodesOf } from "./syntax.ts";

export const rules = ["R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9"] as const;
export type Rule = (typeof rules)[number];

/** For each rule the test files that cite it: by number in the title of a test or of a `describe` around tests. */
export const citations = (testFiles: Sources): ReadonlyMap<Rule, readonly string[]> => {
  const titles = [...testFiles].map(([path, source]) => [path, titlesOf(path, source).join("\n")] as const);
  return new Map(
    rules.map((rule) => {
      const cited = new RegExp(`\\b${rule}\\b`);
      return [rule, titles.filter(([, text]) => cited.test(text)).map(([path]) => path)];
    }),
  );
};

export const uncited = (testFiles: Sources): string[] =>
  [...citations(testFiles)]
    .filter(([, paths]) => paths.length === 0)
    .map(([rule]) => `${rule} is cited by no test. Write its number in the title of the test that holds it.`);

const titlesOf = (path: string, source: string): string[] =>
  [...nodesOf(path, source)].filter(isTest).flatMap((call) => textOf((call.arguments as unknown[])[0]) ?? []);

const isTest = (node: Node) => node.type === "CallExpression" && opensTest(node.callee);

/** `it`, `describe.concurrent`, `test.each(table)` and so on, but for those that do not run. */
const opensTest = (callee: unknown): boolean => {
  if (!isNode(callee)) return false;
  if (callee.type === "Identifier") return ["it", "test", "describe"].includes(callee.name as string);
  if (callee.type === "CallExpression") return opensTest(callee.callee);
  if (callee.type !== "MemberExpression" || !isNode(callee.property)) return false;
  return opensTest(callee.object) && !["skip", "todo"].includes(callee.property.name as string);
};

const textOf = (title: unknown): string | undefined => {
  if (!isNode(title)) return undefined;
  if (title.type === "Literal" && typeof title.value === "string") return title.value;
  if (title.type !== "TemplateLiteral") return undefined;
  return (title.quasis as { value: { raw: string } }[]).map(({ value }) => value.raw).join("…");
};
