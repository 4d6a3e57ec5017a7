/** What can be said of the docs without running them. Their code blocks come from files that the tests run. */
import { posix } from "node:path";
import { blockFault, codeBlocks } from "../support/docs/code-blocks.ts";
import type { Sources } from "./sources.ts";

/** Says, one line each, where a page links to nothing or shows code that no file has. */
export const pageFaults = (pages: Sources, read: (path: string) => string | undefined): string[] =>
  [...pages].flatMap(([path, text]) => [
    ...linksOf(text)
      .filter(({ target }) => !resolves(path, target, pages, read))
      .map(({ target, line }) => `${path}:${line} links to ${target}, which is not there`),
    ...codeBlocks(text).flatMap((block) => {
      const fault = blockFault(block, read);
      return fault === undefined ? [] : [`${path}:${block.line} ${fault}`];
    }),
  ]);

const localNames: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w.~-])\/(?:work|home|root|Users)\/[\w.-]+/, "a path of one machine"],
  [/\b[A-Z]:\\Users\\/, "a path of one machine"],
  [/https?:\/\/[^\s"'/]*(?:registry|verdaccio|artifactory|nexus|mirror)[^\s"'/]*/i, "the host of a package registry"],
  [/"resolved": "https?:/, "the host of a package registry"],
  [/^(?:@[\w-]+:)?registry\s*=/m, "the host of a package registry"],
];

/** Says, one line each, where a file names something that only its writer's machine has. */
export const localFaults = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) =>
    localNames.flatMap(([pattern, what]) => {
      const found = pattern.exec(text);
      return found === null ? [] : [`${path}:${lineAt(text, found.index)} names ${what}: ${found[0]}`];
    }),
  );

interface Link {
  readonly target: string;
  readonly line: number;
}

/** Inline links, images, reference definitions and `src`/`href` of HTML, outside code. */
const linksOf = (markdown: string): Link[] =>
  [
    ...withoutCode(markdown).matchAll(
      /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)|^\s*\[[^\]]+\]:\s+(\S+)|(?:src|href)="([^"]+)"/gm,
    ),
  ].map((match) => ({
    target: match[1] ?? match[2] ?? match[3] ?? "",
    line: lineAt(markdown, match.index + match[0].search(/\S/)),
  }));

const isElsewhere = (target: string) => /^[a-z][a-z+.-]*:|^\/\//i.test(target);

const resolves = (page: string, target: string, pages: Sources, read: (path: string) => string | undefined) => {
  if (isElsewhere(target)) return true;
  const [file = "", anchor] = decodeURI(target).split("#");
  const path = file === "" ? page : posix.join(posix.dirname(page), file);
  if (path.startsWith("..") || path.startsWith("/")) return false;
  const text = pages.get(path) ?? read(path);
  if (text === undefined) return false;
  return anchor === undefined || !path.endsWith(".md") || anchorsOf(text).has(anchor);
};

/** The names GitHub gives to headings: a repeated heading gets -1, -2 … */
const anchorsOf = (markdown: string): ReadonlySet<string> => {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutFences(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const name = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    let anchor = name;
    for (let repeat = 1; anchors.has(anchor); repeat++) anchor = `${name}-${repeat}`;
    anchors.add(anchor);
  }
  return anchors;
};

/** Blanks that keep every offset, so that lines can still be told. */
const blank = (text: string) => text.replaceAll(/[^\n]/g, " ");
const withoutFences = (markdown: string) =>
  markdown.replaceAll(/^[ \t]*(`{3,}|~{3,})[\s\S]*?^[ \t]*\1[`~]*[ \t]*$/gm, blank);
const withoutCode = (markdown: string) => withoutFences(markdown).replaceAll(/(`+)[^`]+\1/g, blank);

const lineAt = (text: string, index: number) => text.slice(0, index).split("\n").length;
