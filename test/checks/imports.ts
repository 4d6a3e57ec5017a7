/**
 * Which way imports may point (docs/architecture.md draws it):
 *
 * - A room imports rooms of the tiers above its own in `tiers`, and rooms of its own tier as long as no two of them
 *   come to need each other.
 * - Modules directly in `src` (errors, clock, logger …) stand just below `machines`: every room of `src` may import
 *   them, they import no room of `src`. `src/index.ts` and `src/internal.ts` import everything and are imported by
 *   `testing` and `cli` only.
 * - `machines` is pure: it imports zod, immer and xstate, and nothing of Node. `src` imports packages that a user
 *   gets too. `docs/examples` imports Wakeful by its public names only.
 * - Files do not import each other in a circle. `import type` is exempt from this alone, for it is gone when the
 *   program runs; it counts for everything else.
 */
import { posix } from "node:path";
import type { Sources } from "./sources.ts";
import { isNode, type Node, nodesOf } from "./syntax.ts";

const tiers: readonly (readonly string[])[] = [
  ["machines/history"],
  ["machines/round", "machines/connection"],
  ["machines/thread"],
  ["machines/system"],
  ["src"],
  ["src/prompt", "src/model", "src/tool", "src/store", "src/queue"],
  ["src/thread"],
  ["src/system"],
  ["src/rap", "src/mcp", "src/display", "src/server", "src/inspect"],
  ["src/testing"],
  ["src/cli"],
];
const faces = ["src/index.ts", "src/internal.ts"];
const readersOfFaces = ["src/testing", "src/cli"];
const purePackages = ["zod", "immer", "xstate"];

interface Import {
  readonly from: string;
  /** A repository path for a relative import, else the specifier as written. */
  readonly to: string;
  readonly isRelative: boolean;
  readonly isTypeOnly: boolean;
}

/** Says, one line each, what imports what it may not. `dependencies` are the packages that a user installs with us. */
export const wrongImports = (files: Sources, dependencies: readonly string[]): string[] => {
  const imports = [...files].flatMap(([path, source]) => importsOf(path, source));
  const toFiles = imports.filter(({ to }) => files.has(to));
  const wrong = imports.flatMap((each) => {
    const reason = files.has(each.to) ? wrongFile(each) : wrongSpecifier(each, dependencies);
    return reason === undefined ? [] : [`${each.from} imports ${each.to}: ${reason}`];
  });
  const edges = toFiles.filter(({ from }) => !faces.includes(from));
  const roomCircle = circle(edges.map(({ from, to }) => [roomOf(from), roomOf(to)] as const));
  const fileCircle = circle(toFiles.filter((each) => !each.isTypeOnly).map(({ from, to }) => [from, to] as const));
  if (roomCircle !== undefined) wrong.push(`rooms need each other: ${roomCircle.join(" → ")}`);
  if (fileCircle !== undefined) wrong.push(`files import each other in a circle: ${fileCircle.join(" → ")}`);
  return wrong;
};

const wrongFile = ({ from, to }: Import): string | undefined => {
  const [room, target] = [roomOf(from), roomOf(to)];
  if (faces.includes(from) || room === undefined || target === undefined) return undefined;
  if (room === "docs") return target === "docs" ? undefined : 'examples import "wakeful", as a user would';
  if (target === "docs") return "docs are no part of the program";
  if (faces.includes(to)) return readersOfFaces.includes(room) ? undefined : "import the module that has the name";
  const [tier, targetTier] = [tierOf(room), tierOf(target)];
  if (tier === -1 || targetTier === -1) return "a room that test/checks/imports.ts does not list: add it there";
  return targetTier <= tier ? undefined : `${target} stands below ${room}`;
};

const wrongSpecifier = ({ from, to, isRelative }: Import, dependencies: readonly string[]): string | undefined => {
  const room = roomOf(from);
  if (room === undefined) return undefined;
  if (isRelative) return "not a module of machines, src or docs";
  if (room === "docs" || to === "wakeful/package.json") return undefined;
  const name = to.split("/", to.startsWith("@") ? 2 : 1).join("/");
  if (room.startsWith("machines/"))
    return purePackages.includes(name) ? undefined : "machines are pure: name an effect and let src provide it";
  return to.startsWith("node:") || dependencies.includes(name) ? undefined : "not among the dependencies of wakeful";
};

/** `src/tool` for anything inside it, `src` for modules directly there, `docs` for examples; undefined for tests. */
const roomOf = (path: string): string | undefined => {
  const [top, room] = path.split("/");
  if (top === "docs") return top;
  if (top !== "src" && top !== "machines") return undefined;
  return room === undefined || room.endsWith(".ts") ? top : `${top}/${room}`;
};

const tierOf = (room: string) => tiers.findIndex((tier) => tier.includes(room));

const importsOf = (path: string, source: string): Import[] =>
  [...nodesOf(path, source)].flatMap((node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return [];
    const isRelative = specifier.startsWith(".");
    const to = isRelative ? posix.join(posix.dirname(path), specifier) : specifier;
    return [{ from: path, to, isRelative, isTypeOnly: isTypeOnly(node) }];
  });

const importing = [
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
];

const specifierOf = (node: Node): string | undefined => {
  if (!importing.includes(node.type) || !isNode(node.source)) return undefined;
  return typeof node.source.value === "string" ? node.source.value : undefined;
};

const isTypeOnly = (node: Node) =>
  node.type === "TSImportType" || node.importKind === "type" || node.exportKind === "type";

/** One circle among the edges, its first member repeated at the end. An edge from a node to itself is none. */
const circle = <T>(edges: Iterable<readonly [T, T]>): T[] | undefined => {
  const targets = new Map<T, Set<T>>();
  for (const [from, to] of edges) if (from !== to) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const done = new Set<T>();
  const visit = (node: T, trail: readonly T[]): T[] | undefined => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const target of targets.get(node) ?? []) {
      const found = visit(target, [...trail, node]);
      if (found !== undefined) return found;
    }
    done.add(node);
    return undefined;
  };
  for (const node of targets.keys()) {
    const found = visit(node, []);
    if (found !== undefined) return found;
  }
  return undefined;
};
