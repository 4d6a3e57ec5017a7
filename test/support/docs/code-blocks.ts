/**
 * Code in the docs comes from files that the tests run. The first word after a fence is the language, what follows
 * says where the code is from:
 *
 *     ```ts file=docs/examples/clock.ts     these lines stand together in that file (indented as a whole, perhaps)
 *     ```ts no-run only a signature         runs nowhere, for the reason given
 *     ```sh                                 for a test to run, or to leave alone: nothing is demanded of it here
 */
export interface CodeBlock {
  readonly language: string;
  /** The rest of the line that opens the block, trimmed. */
  readonly info: string;
  readonly code: string;
  /** Where the fence opens, counted from 1. */
  readonly line: number;
}

/** The fenced blocks of a markdown text, in order. A block inside a list item loses the item's indentation. */
export const codeBlocks = (markdown: string): CodeBlock[] =>
  [...markdown.matchAll(/^([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`]*)[ \t]*([^\n`]*)\n([\s\S]*?)^[ \t]*\2[`~]*[ \t]*$/gm)].map(
    (match) => {
      const [, indent = "", , language = "", info = "", code = ""] = match;
      return {
        language,
        info: info.trim(),
        code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
        line: markdown.slice(0, match.index).split("\n").length,
      };
    },
  );

/**
 * What is wrong with a `ts` block, or undefined. `read` gives the text of a repository file, undefined when there is
 * none.
 */
export const blockFault = (block: CodeBlock, read: (path: string) => string | undefined): string | undefined => {
  if (block.language !== "ts") return undefined;
  if (/^no-run\s+\S/.test(block.info)) return undefined;
  const path = /^file=(\S+)$/.exec(block.info)?.[1];
  if (path === undefined) return "a ts block names its file (file=docs/examples/…) or says why it has none (no-run …)";
  const text = read(path);
  if (text === undefined) return `${path} does not exist`;
  return holdsLines(text, block.code) ? undefined : `these lines do not stand together in ${path}`;
};

const holdsLines = (text: string, code: string): boolean => {
  const [lines, wanted] = [linesOf(text), linesOf(code)];
  return lines.some((_, start) => {
    const found = lines.slice(start, start + wanted.length);
    return found.length === wanted.length && outdented(found).join("\n") === outdented(wanted).join("\n");
  });
};

const linesOf = (text: string) => text.trimEnd().split("\n");

const outdented = (lines: readonly string[]): string[] => {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  return lines.map((line) => line.slice(Math.min(...indents)));
};
