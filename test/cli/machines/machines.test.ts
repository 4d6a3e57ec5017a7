import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { wakefulHere } from "../show/wakeful.ts";

const drawing = (name: string) => readFileSync(new URL(`../../../docs/machines/${name}.mmd`, import.meta.url), "utf8");

describe("wakeful machines", () => {
  it("prints all of them as Markdown, each with a heading", async () => {
    const { code, out, err } = await wakefulHere(["machines"]);
    const part = (name: string) => `# ${name}\n\n\`\`\`mermaid\n${drawing(name)}\`\`\`\n`;
    expect(out).toBe(["thread", "round", "system"].map(part).join("\n"));
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  it("prints one as it can be drawn, with nothing around it", async () =>
    expect((await wakefulHere(["machines", "round"])).out).toBe(drawing("round")));

  it("prints one as JSON, or all by their names", async () => {
    const one = JSON.parse((await wakefulHere(["machines", "thread", "--format", "json"])).out);
    const all = JSON.parse((await wakefulHere(["machines", "--format", "json"])).out);
    expect(one).toMatchObject({ id: "thread", initial: "waking" });
    expect(Object.keys(all)).toEqual(["thread", "round", "system"]);
    expect(all.thread).toEqual(one);
  });

  it.each([
    [["machines", "rund"], /'rund' is invalid.*Allowed choices are thread, round, system/],
    [["machines", "--format", "png"], /'png' is invalid.*Allowed choices are mermaid, json/],
  ])("refuses %j with 2", async (args, said) => {
    const { code, out, err } = await wakefulHere(args);
    expect(err).toMatch(said);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });
});
