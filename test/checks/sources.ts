import { globSync, readFileSync } from "node:fs";

/** Repository paths with `/`, to the text of each file. */
export type Sources = ReadonlyMap<string, string>;

export const root = new URL("../../", import.meta.url);

/** The files of the repository that match, in order of path. */
export const sources = (...patterns: readonly string[]): Sources =>
  new Map(
    globSync(patterns, { cwd: root, exclude: ["**/node_modules", "dist"] })
      .map((path) => path.replaceAll("\\", "/"))
      .sort()
      .map((path) => [path, readFileSync(new URL(path, root), "utf8")]),
  );
