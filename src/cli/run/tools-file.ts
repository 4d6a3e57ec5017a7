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
      throw new ToolFileError(file, "does not exist. Give the path of a .ts or .js module that exports tools.", { cause });
    throw new ToolFileError(file, `cannot be read (${cause.code}).`, { cause });
  });
  if (!stats.isFile()) throw new ToolFileError(file, "is no file. Name the .ts or .js module itself.");
  if (!endings.includes(extname(file)))
    throw new ToolFileError(file, `is no module. Its name must end in ${endings.join(" ")}.`);
};

/** Where a module failed to parse, as Node's stack begins with it: `file:///…/tools.ts:3`. */
const lineOf = (error: Error): string => {
  const line = /^\S+?:(\d+)\r?\n/.exec(error.stack ?? "")?.[1];
  return line === undefined ? "" : ` (line ${line})`;
};

const load = async (file: string): Promise<Readonly<Record<string, unknown>>> => {
  try {
    return await import(pathToFileURL(resolve(file)).href);
  } catch (cause) {
    const reason = cause instanceof Error ? `${cause.name}: ${oneLine(cause.message)}${lineOf(cause)}` : String(cause);
    throw new ToolFileError(file, `cannot be loaded. ${reason}`, { cause });
  }
};

const exportedBy = (file: string, module: Readonly<Record<string, unknown>>): Exported[] =>
  Object.entries(module).flatMap(([name, value]) => {
    if (isTool(value)) return [{ file, place: name, tool: value }];
    if (!Array.isArray(value) || !value.some(isTool)) return [];
    return value.map((tool, index) => {
      const place = `${name}[${index}]`;
      if (!isTool(tool)) throw new ToolFileError(file, `${place} is no tool. Make it with defineTool, or leave it out.`);
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
      found.set(name, exported);
    }
  }
  return [...found.values()].map(({ tool }) => tool);
};

const placeOf = (exported: Exported, file: string): string =>
  exported.file === file ? exported.place : `${exported.place} of ${exported.file}`;
