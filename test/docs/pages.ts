import { globSync, readFileSync } from "node:fs";

export const root = new URL("../../", import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), "utf8");

/** The pages that users read, by path. */
export const pages: ReadonlyMap<string, string> = new Map(
  ["README.md", "CHANGELOG.md", ...globSync("docs/*.md", { cwd: root }).sort()].map((path) => [path, text(path)]),
);

/** The text under a heading, up to the next heading of any level. */
export const section = (path: string, heading: string): string => {
  const [, rest] = (pages.get(path) ?? "").split(new RegExp(`^#+ ${heading}$`, "m"));
  if (rest === undefined) throw new Error(`${path} has no heading ${JSON.stringify(heading)}`);
  return rest.split(/^#+ /m)[0] ?? "";
};

/** The rows of the tables in a text, without their heads; cells without padding and code marks. */
export const rows = (markdown: string): string[][] =>
  [...markdown.matchAll(/^\|.*\|\n\|[\s:|-]+\|\n((?:\|.*\|\n?)+)/gm)].flatMap(([, body = ""]) =>
    body
      .trim()
      .split("\n")
      .map((row) =>
        row
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim().replace(/^`(.*)`$/, "$1")),
      ),
  );

export const firstCells = (path: string, heading: string): string[] =>
  rows(section(path, heading)).map(([cell = ""]) => cell);
