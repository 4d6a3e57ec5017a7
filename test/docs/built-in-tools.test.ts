import { describe, expect, it } from "vitest";
import * as family from "../../machines/history/family-wording.ts";
import { builtinTools } from "../../src/tool/builtin/index.ts";
import { createToolset } from "../../src/tool/toolset.ts";
import { firstCells, rows, section } from "./pages.ts";

const page = "docs/built-in-tools.md";

const blank = createToolset(builtinTools).judge("spawn_thread", '{"instructions":" ","child_of":[]}').verdict;

/** Every refusal of a built-in tool's own, with ids that do not matter. */
const refusals = [
  family.wrongStackText(["t1"]),
  family.tooManyChildrenText(50),
  family.tooDeepText(5),
  family.noParentText(),
  family.notAChildText("x", []),
  family.notYourThreadText("x", "t1"),
  family.rootClosesText("t1"),
  family.secondCloseText(),
  family.unknownSubscriptionText("x", []),
].map(([item]) => (item?.type === "text" ? item.text : ""));

describe("the page of the built-in tools", () => {
  it.each(builtinTools.map(({ name, spec }) => ({ name, spec })))("has the arguments of $name", ({ name, spec }) => {
    const args = Object.keys(spec.inputSchema.properties ?? {});
    if (args.length === 0) expect(section(page, `\`${name}\``)).toMatch(/Takes nothing/);
    else expect(firstCells(page, `\`${name}\``)).toEqual(args);
  });

  it("has every refusal, in the words that the model reads", () => {
    const said = rows(section(page, "What is refused")).map(([, says = ""]) => /`?([^`]+)`/.exec(says)?.[1] ?? says);
    expect(said).toHaveLength(refusals.length);
    for (const [index, words] of said.entries()) expect(refusals[index]).toContain(words);
    expect(blank.as === "refused" && blank.text).toContain("instructions must not be blank");
  });
});
