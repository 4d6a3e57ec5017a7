import { beforeAll, describe, expect, it } from "vitest";
import { pages } from "../../docs/pages.ts";
import { codeBlocks } from "../../support/docs/code-blocks.ts";
import { freshFile, runScript, wakefulHere } from "./wakeful.ts";

/** What differs from one time to the next. */
const timeless = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d/g, "INSTANT")
    .replaceAll(/\bin \d+ (?:minutes?|hours?|days?)/g, "AHEAD")
    .replaceAll(/(?<=\(|, )(?:\d+ (?:seconds?|minutes?) ago|now)(?=$|\))/gm, "AGO");

const blocks = codeBlocks(pages.get("docs/cli-inspect.md") ?? "");
const shown = blocks.flatMap(({ info, code }, index) =>
  info === "printed" ? [[blocks[index - 1]?.code.trim() ?? "", code] as const] : [],
);
const [made = ""] = blocks.map(({ code }) => code.trim());

describe("what docs/cli-inspect.md shows", { timeout: 60_000 }, () => {
  let db: string;
  beforeAll(async () => {
    db = freshFile();
    const [, script = ""] = /^npx node (\S+) agents\.db$/.exec(made) ?? [];
    await runScript(script, db);
  }, 120_000);

  it.each(shown)("is what is printed, in the order of the page: %s", async (command, printed) => {
    const [line = "", lines] = command.split(" | head -");
    const [npx, program, ...args] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
    expect([npx, program]).toEqual(["npx", "wakeful"]);
    const { code, out } = await wakefulHere(args.map((arg) => (arg === "agents.db" ? db : arg)));
    expect(code).toBe(0);
    const head = lines === undefined ? out : out.split("\n").slice(0, Number(lines)).join("\n");
    expect(timeless(head.trimEnd())).toBe(timeless(printed.trimEnd()));
  });

  it("is something", () => expect(shown.length).toBeGreaterThan(4));
});
