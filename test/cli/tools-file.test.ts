import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadTools } from "../../src/cli/run/tools-file.ts";
import { ToolFileError } from "../../src/errors.ts";

const fixture = (name: string) => `test/cli/fixtures/${name}.ts`;
const folder = mkdtempSync(join(tmpdir(), "wakeful-tools-"));
const written = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
afterAll(() => rmSync(folder, { recursive: true }));

const namesOf = async (...files: string[]) => (await loadTools(files)).map(({ name }) => name).sort();
const problemOf = async (...files: string[]): Promise<string> => {
  const error: unknown = await loadTools(files).catch((reason) => reason);
  expect(error).toBeInstanceOf(ToolFileError);
  const { message } = error as ToolFileError;
  expect(message).not.toContain("\n");
  return message;
};

describe("a tools file", () => {
  it("gives the tools it exports, alone and in arrays, each once", async () =>
    expect(await namesOf(fixture("one-of-each"))).toEqual(["alone", "first", "second"]));
  it("may be given twice", async () =>
    expect(await namesOf(fixture("one-of-each"), fixture("one-of-each"))).toHaveLength(3));
  it("is not needed", async () => expect(await loadTools([])).toEqual([]));

  it("that does not exist is named", async () =>
    expect(await problemOf("nowhere/tools.ts")).toMatch(
      /^Tools file nowhere\/tools\.ts: does not exist\. Give the path/,
    ));
  it("is no folder", async () => expect(await problemOf(folder)).toMatch(/is no file\. Name the \.ts or \.js module/));
  it("is a module by its name", async () =>
    expect(await problemOf(written("tools.json", "[]"))).toMatch(/is no module\. Its name must end in \.ts/));
  it("that exports no tools is told what would work", async () =>
    expect(await problemOf(written("none.mjs", "export const tools = []; export default { name: 'x' };"))).toMatch(
      /exports no tools\. Export what defineTool returns/,
    ));
  it("with a thing that is no tool among its tools is told which", async () =>
    expect(await problemOf(fixture("not-a-tool"))).toMatch(/default\[1\] is no tool\. Make it with defineTool/));
  it("with two tools of one name is told where they stand", async () =>
    expect(await problemOf(fixture("two-of-a-name"))).toMatch(
      /two tools have the name "twin": default\[1\] and here\. Rename one\./,
    ));
  it("with a tool of another file's is told that file", async () =>
    expect(await problemOf(fixture("one-of-each"), written("again.mjs", again))).toMatch(
      /two tools have the name "alone": default\[0\] of test\/cli\/fixtures\/one-of-each\.ts and default\./,
    ));

  it.each([
    ["throws", "throw new Error('no database');", "Error: no database"],
    ["throws something else", "throw 5;", "it threw 5"],
    ["throws over several lines", "throw new Error('one\\ntwo');", "Error: one two"],
  ])("that %s says what was thrown", async (title, text, said) =>
    expect(await problemOf(written(`${title}.mjs`, text))).toContain(`cannot be loaded. ${said}`),
  );
  it("with a tool that cannot be is told why", async () =>
    expect(await problemOf(fixture("refused"))).toMatch(
      /cannot be loaded\. ToolDefinitionError: The tool "has blanks"/,
    ));
});

/** A tool of another copy of the library: what makes it one is the mark. */
const again = `const tool = { name: "alone" };
tool[Symbol.for("wakeful.tool")] = true;
export default tool;`;
