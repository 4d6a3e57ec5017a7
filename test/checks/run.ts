/**
 * `npm test`: everything that CI demands, cheapest first, ending at the first check that fails. Arguments go to
 * vitest, so `npm test -- test/thread` runs all checks and those tests.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import metadata from "../../package.json" with { type: "json" };
import { localFaults, pageFaults } from "./docs.ts";
import { wrongImports } from "./imports.ts";
import { uncited } from "./rules.ts";
import { root, sources } from "./sources.ts";

interface Check {
  readonly title: string;
  /** Whether it passed; whatever it has to say it prints. */
  readonly passes: () => boolean;
}

const plain = process.stdout.isTTY ? {} : { NO_COLOR: "1" };
/** With CI set, vitest writes no new snapshots: a drawing in docs/ that is out of date fails here as it does there. */
const environment = { ...process.env, CI: "true", ...plain };
// Biome takes CI for a place that shows colours, whatever NO_COLOR says.
const biome = ["ci", `--colors=${process.stdout.isTTY ? "force" : "off"}`];

const command = (name: string, ...args: string[]) => {
  const { status, error } = spawnSync(name, args, { cwd: root, stdio: "inherit", env: environment });
  if (error !== undefined) throw error;
  return status === 0;
};

const complaints = (lines: readonly string[]) => {
  for (const line of lines) console.error(line);
  return lines.length === 0;
};

/** The text of a repository file; of a directory, which has none, the empty text. */
const read = (path: string) => {
  const file = new URL(encodeURI(path), root);
  if (!existsSync(file)) return undefined;
  return statSync(file).isDirectory() ? "" : readFileSync(file, "utf8");
};

const checks: readonly Check[] = [
  { title: "Format and lint", passes: () => command("biome", ...biome) },
  { title: "Types", passes: () => command("tsc", "--noEmit") },
  {
    title: "Import direction and cycles",
    passes: () =>
      complaints(
        wrongImports(
          sources("{machines,src,docs}/**/*.ts"),
          Object.keys({ ...metadata.dependencies, ...metadata.peerDependencies }),
        ),
      ),
  },
  { title: "Rules without a test", passes: () => complaints(uncited(sources("test/**/*.test.ts"))) },
  {
    title: "Docs",
    passes: () =>
      complaints([
        ...pageFaults(sources("*.md", "docs/**/*.md"), read),
        ...localFaults(sources("*.{md,json,ts}", ".npmrc", ".ci/run", "{machines,src,test,docs}/**/*.{ts,js,json,md}")),
      ]),
  },
  { title: "Tests", passes: () => command("vitest", "run", ...process.argv.slice(2)) },
];

for (const { title, passes } of checks) {
  console.log(`\n== ${title}`);
  if (!passes()) {
    // The tests end with lines of their own, which stay the last.
    if (title !== "Tests") console.error(`\n== ${title}: failed`);
    process.exit(1);
  }
}
