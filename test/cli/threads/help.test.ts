import { describe, expect, it } from "vitest";
import { wakefulHere } from "../show/wakeful.ts";

describe("the help of the commands that look into a database", () => {
  it.each(["threads", "show", "send", "machines"])("teaches %s with examples and exit codes", async (command) => {
    const { code, out, err } = await wakefulHere([command, "--help"]);
    expect(out).toMatch(new RegExp(`^Usage: wakeful ${command} `));
    expect(out).toMatch(new RegExp(`Examples:\\n {2}\\$ wakeful ${command}`));
    expect(out).toMatch(/Exit codes:\n {2}0 /);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  it("is pointed to by that of the program", async () => {
    const { out } = await wakefulHere(["--help"]);
    for (const command of ["threads", "show", "send", "machines"])
      expect(out).toMatch(new RegExp(`\\$ wakeful ${command}\\b`));
  });
});
