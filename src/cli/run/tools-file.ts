import { stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolFileError } from "../../errors.ts";
import { isTool, type Tool } from "../../tool/define.ts";
import { oneLine } from "./terminal-text.ts";

const endings = [".ts", ".js", ".mts", ".mjs", ".cts", ".cjs"];

/** A tool and where it stands: the name of its export, or its place in an exported array. */
interface Exported {
  readonly file: string;
  readonly place: string;
  readonly tool: Tool;
}

const check = async (file: string): Promise<void> => {
  const stats = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT" || cause.code === "ENOTDIR")
      throw new ToolFileError(file, "does not exist. Give the path of a .ts or .js module that exports tools.", {
        cause,
      });
    throw new ToolFileError(file, `cannot be read (${cause.code}).`, { cause });
  });
  if (!stats.isFile()) throw new ToolFileError(file, "is no file. Name the .ts or .js module itself.");
  if (!endings.includes(extname(file)))
    throw new ToolFileError(file, `is no module. Its name must end in ${endings.join(" ")}.`);
};

/** Where a module could not be parsed. Node's stack begins with the place, `file:///…/tools.ts:3`, for some kinds only. */
const placeIn = (file: string, { stack = "" }: SyntaxError): string => {
  const [, path = "", line] = /^(?:file:\/\/)?(.+):(\d+)\r?\n/.exec(stack) ?? [];
  if (line === undefined) return `. \`node --check ${file}\` shows where`;
  return path === resolve(file) ? ` (line ${line})` : ` (${path}:${line})`;
};

const reasonOf = (file: string, cause: unknown): string => {
  if (!(cause instanceof Error)) return `it threw ${String(cause)}`;
  return `${cause.name}: ${oneLine(cause.message)}${cause instanceof SyntaxError ? placeIn(file, cause) : ""}`;
};

const load = async (file: string): Promise<Readonly<Record<string, unknown>>> => {
  try {
    return await import(pathToFileURL(resolve(file)).href);
  } catch (cause) {
    throw new ToolFileError(file, `cannot be loaded. ${reasonOf(file, cause)}`, { cause });
  }
};

/** The default export is the list that somebody put in order: it comes first. */
const defaultFirst = ([a]: [string, unknown], [b]: [string, unknown]): number =>
  Number(b === "default") - Number(a === "default") || (a < b ? -1 : 1);

const exportedBy = (file: string, module: Readonly<Record<string, unknown>>): Exported[] =>
  Object.entries(module)
    .sort(defaultFirst)
    .flatMap(([name, value]) => {
      if (isTool(value)) return [{ file, place: name, tool: value }];
      if (!Array.isArray(value) || !value.some(isTool)) return [];
      return value.map((tool, index) => {
        const place = `${name}[${index}]`;
        if (!isTool(tool))
          throw new ToolFileError(file, `${place} is no tool. Make it with defineTool, or leave it out.`);
        return { file, place, tool };
      });
    });

/**
 * The tools that modules export, by themselves or in arrays, each once. Rejects with ToolFileError: for a file that does
 * not exist or cannot be loaded, one without tools, and two tools of one name. Paths are seen from the working directory.
 */
export const loadTools = async (files: readonly string[]): Promise<Tool[]> => {
  const found = new Map<string, Exported>();
  for (const file of files) {
    await check(file);
    const all = exportedBy(file, await load(file));
    if (all.length === 0)
      throw new ToolFileError(
        file,
        "exports no tools. Export what defineTool returns, alone or in an array: export default [myTool];",
      );
    for (const exported of all) {
      const { name } = exported.tool;
      const other = found.get(name);
      if (other && other.tool !== exported.tool)
        throw new ToolFileError(
          file,
          `two tools have the name ${JSON.stringify(name)}: ${placeOf(other, file)} and ${exported.place}. Rename one.`,
        );
      if (!other) found.set(name, exported);
    }
  }
  return [...found.values()].map(({ tool }) => tool);
};

const placeOf = (exported: Exported, file: string): string =>
  exported.file === file ? exported.place : `${exported.place} of ${exported.file}`;
