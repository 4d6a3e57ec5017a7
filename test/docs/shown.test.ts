import { spawn } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import examples from "../../docs/examples/index.ts";
import { suggestions } from "../../src/model/demo/suggest.ts";
import { builtinTools } from "../../src/tool/builtin/index.ts";
import { codeBlocks } from "../support/docs/code-blocks.ts";
import { pages, root, section } from "./pages.ts";

/**
 * A `text shown` block has what the `sh` block before it prints. Of a `text shown-marks` block only the lines with a mark
 * are compared, and their order: when real time passes between them, a busy machine may put the others elsewhere.
 */
interface Shown {
  readonly page: string;
  readonly command: string;
  readonly output: string;
  readonly isExact: boolean;
}

const shownOn = (page: string, text: string): Shown[] => {
  const blocks = codeBlocks(text);
  return blocks.flatMap(({ info, code }, index) => {
    const before = blocks[index - 1];
    if (!info.startsWith("shown")) return [];
    if (before?.language !== "sh") throw new Error(`${page}: no sh block stands before what it is to have printed`);
    return [{ page, command: before.code.trim(), output: code, isExact: info === "shown" }];
  });
};

const shown = [...pages].flatMap(([page, text]) => shownOn(page, text));

/** For what a command makes with `mktemp`. */
const folder = mkdtempSync(join(tmpdir(), "wakeful-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a user runs from `dist`, run from the sources. */
const fromSources = (command: string): string =>
  command.replace(/\bnpx node /g, "node ").replace(/\bnpx wakeful /g, "node src/cli/bin.ts ");

const printed = (command: string): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve, reject) => {
    const path = [fileURLToPath(new URL("node_modules/.bin", root)), process.env.PATH].join(delimiter);
    const env = { HOME: process.env.HOME, PATH: path, TMPDIR: folder, NODE_OPTIONS: "--conditions=wakeful-source" };
    const child = spawn("sh", ["-c", fromSources(command)], { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (piece) => {
      output += piece;
    });
    child.on("error", reject).on("close", (code) => resolve({ code, output }));
  });

const marked = (text: string): string[] => text.split("\n").filter((line) => /^(?:[>·~] | {2}[⇒✗] )/.test(line));

describe.concurrent("what the docs show", () => {
  it.each(shown)("is what is printed: $page, $command", { timeout: 60_000 }, async ({ command, output, isExact }) => {
    const { code, output: real } = await printed(command);
    expect(code).toBe(0);
    if (isExact) expect(real.trimEnd()).toBe(output.trimEnd());
    else expect(marked(real)).toEqual(marked(output));
  });

  it("has the suggestions of npm start", () => {
    const names = [...examples, ...builtinTools].map(({ name }) => name);
    const things = suggestions(new Set(names)).slice(0, 3);
    expect(section("docs/getting-started.md", "1. Talk to an agent")).toContain(
      things.map((line) => `  ${line}\n`).join(""),
    );
  });

  it("leaves no example out", () => {
    const text = [...pages.values()].join("\n");
    for (const file of globSync("docs/examples/*.ts", { cwd: root })) {
      const name = file.replaceAll("\\", "/").replace("docs/", "");
      expect(text.includes(name), name).toBe(true);
    }
  });
});
