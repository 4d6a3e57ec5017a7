import { parseSync } from "vite";

/** A syntax node in ESTree's shape: what the checks read of it is looked at field by field. */
export type Node = { readonly type: string; readonly [field: string]: unknown };

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Every node of a source text, outermost first. A text that does not parse has none: the type check reports it. */
export function* nodesOf(path: string, source: string): Generator<Node> {
  const program: unknown = parseSync(path, source).program;
  const waiting: unknown[] = [program];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (isNode(value)) yield value;
    if (typeof value === "object" && value !== null) waiting.push(...Object.values(value).reverse());
  }
}
