import { describe, expect, it } from "vitest";
import metadata from "wakeful/package.json" with { type: "json" };
import { main } from "../../src/cli/main.ts";
import { fakeIo } from "./fake-io.ts";

const wakeful = async (...args: string[]) => {
  const { io, stdin, written } = fakeIo();
  stdin.end();
  const code = await main(args, io);
  return { code, ...written };
};

describe("the command line", () => {
  it.each([
    [["--help"]],
    [["run", "--help"]],
    [["chat", "--help"]],
    [["help", "run"]],
    [["conformance", "scenarios", "--help"]],
  ])("teaches with examples and exit codes: %j", async (args) => {
    const { code, out, err } = await wakeful(...args);
    expect(out).toMatch(/^Usage: wakeful/);
    expect(out).toMatch(/Examples:\n {2}\$ wakeful /);
    expect(out).toMatch(/Exit codes:\n {2}0 /);
    expect(err).toBe("");
    expect(code).toBe(0);
  });

  it("says its version", async () =>
    expect(await wakeful("--version")).toEqual({ code: 0, out: `${metadata.version}\n`, err: "" }));

  it.each([
    [["run", "--zzz"], /^wakeful: unknown option '--zzz'\nSay --help/],
    [["run", "--tool", "x.ts"], /Did you mean --tools\?/],
    [["rum"], /^wakeful: unknown command 'rum'\n\(Did you mean run\?\)/],
    [["run", "--tools"], /^wakeful: option '--tools <FILE>' argument missing/],
    [["conformance", "frob"], /^wakeful: unknown command 'frob'/],
    [["run", " "], /^wakeful: Option TEXT: is blank; say something\n$/],
    [["run", "--thread", "a b", "hi"], /^wakeful: "a b" is no thread id/],
    [
      ["run", "--for", "soon", "hi"],
      /^wakeful: option '--for <SECONDS>' argument 'soon' is invalid\. It takes a number/,
    ],
    [["chat", "--for", "0"], /^wakeful: option '--for <SECONDS>' argument '0' is invalid/],
    [["chat", "--model", "gpt-x"], /^wakeful: Option --model: nothing says where "gpt-x" is\./],
    [["chat", "--db", "test"], /^wakeful: The store .*test .*\n$/],
    [["chat", "hello"], /^wakeful: too many arguments/],
    [[], /^Usage: wakeful/],
  ])("refuses %j with 2", async (args, said) => {
    const { code, out, err } = await wakeful(...args);
    expect(err).toMatch(said);
    expect(out).toBe("");
    expect(code).toBe(2);
  });

  it("runs what it is asked to run", async () => {
    const { code, out } = await wakeful("run", "--tools", "test/cli/fixtures/one-of-each.ts", "say", "hello");
    expect(out).toBe("> say hello\n[running]\nhello\n[idle]\n");
    expect(code).toBe(0);
  });

  it("passes on the code of a run", async () => expect((await wakeful("run", "wait for something")).code).toBe(3));

  it("does not hide a fault of its own", async () => {
    const { io } = fakeIo();
    const broken = {
      ...io,
      onSignal: () => {
        throw new TypeError("broken");
      },
    };
    await expect(main(["run", "hi"], broken)).rejects.toThrow("broken");
  });
});
