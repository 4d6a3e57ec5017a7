import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "wakeful-program-"));
const written = (name: string, content: string): string => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};
afterAll(() => rmSync(folder, { recursive: true }));

/** Nobody's own keys, and none but `env`'s. */
const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, ["--conditions=wakeful-source", "src/cli/bin.ts", ...args], {
    cwd: root,
    stdio: "pipe",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1", ...env },
  });
const codeOf = async (child: ReturnType<typeof start>): Promise<unknown> => (await once(child, "close"))[0];

/** The program in a process of its own, from source, with `input` on stdin. */
const wakeful = async (args: readonly string[], input: string | Uint8Array = "") => {
  const child = start(args);
  // A program that refuses its arguments reads no input.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code, out, err] = await Promise.all([codeOf(child), text(child.stdout), text(child.stderr)]);
  return { code, out, err };
};
const until = async (stream: Readable, seen: RegExp): Promise<void> => {
  let all = "";
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    all += chunk;
    if (seen.test(all)) return;
  }
};

const examples = ["run", "--tools", "docs/examples/index.ts"];

describe.concurrent("the program", { timeout: 120_000 }, () => {
  it("drives every example tool, prints what happens, and ends with 0", async () => {
    const { code, out, err } = await wakeful(
      examples,
      "check build 42\nadd 2 and 3\nsleep 1 then say hi\ncount to 3\n",
    );
    expect(out.replace(/^\[.*\n/gm, "")).toBe(
      `> check build 42
· Check build 42
  ⇒ Build 42 is green: 318 tests passed.
Build 42 is green: 318 tests passed.
> add 2 and 3
· Calculate 2 + 3
  ⇒ 5
2 + 3 = 5.
> sleep 1 then say hi
· Sleep for 1 second
  ⇒ The time is over.
hi
> count to 3
· Count to 3
  ⇒ Counting to 3.
Counting to 3.
~ count_up: 1
1 of 3.
~ count_up: 2
2 of 3.
~ count_up (the last): 3
3. Done: I counted to 3.
`,
    );
    const states = [...new Set(out.match(/^\[\w+\]$/gm))];
    expect(states).toEqual(["[running]", "[awaitingActiveCall]", "[idle]", "[idlePassive]", "[subscribed]"]);
    expect(out).toMatch(/\[idle\]\n$/);
    expect(err).toBe("wakeful: no --model and no key, so this is the demo model: a few rules, offline, no LLM.\n");
    expect(code).toBe(0);
  });

  it("watches a build in children that report, and ends by itself", async () => {
    const { code, out } = await wakeful(examples, "watch build 42 for 3 updates and tell me when it is green\n");
    expect(out.match(/^\+ child \d begins$/gm)).toEqual(["+ child 1 begins", "+ child 2 begins", "+ child 3 begins"]);
    expect(out.match(/^ {2}child \d │ \[closed\]$/gm)).toHaveLength(3);
    expect(out.match(/^~ child \d has closed and reports: update/gm)).toHaveLength(3);
    expect(out).toMatch(/\nBuild 42 is green: 318 tests passed\.\n\[idle\]\n$/);
    expect(code).toBe(0);
  });

  it.each([
    ["an unknown option", ["run", "--zzz"], /^wakeful: unknown option '--zzz'\nSay --help/],
    [
      "a tools file that does not exist",
      ["run", "--tools", "no.ts", "hi"],
      /^wakeful: Tools file no\.ts: does not exist/,
    ],
  ])("refuses %s with 2", async (_, args, said) => {
    const { code, out, err } = await wakeful(args);
    expect(err).toMatch(said);
    expect(out).toBe("");
    expect(code).toBe(2);
  });

  it.each([
    [
      "TypeScript that does not parse",
      "a.ts",
      "const a: number = 1;\nexport default [ ;\n",
      "SyntaxError: Expression expected (line 2)",
    ],
    [
      "JavaScript that does not parse",
      "a.mjs",
      "export default [ ;\n",
      "SyntaxError: Unexpected token ';'. `node --check",
    ],
    ["no tools", "d.ts", "export default [];\n", "exports no tools. Export what defineTool returns"],
  ])("refuses a tools file with %s in one line, with 2", async (_, name, content, said) => {
    const file = written(name, content);
    const { code, out, err } = await wakeful(["run", "--tools", file, "hi"]);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(err).toContain(`wakeful: Tools file ${file}: `);
    expect(err).toContain(said);
    expect(out).toBe("");
    expect(code).toBe(2);
  });

  it("refuses a text of 10 MB with its size, and goes on with the next line", async () => {
    const { code, out, err } = await wakeful(["run"], `${"x".repeat(10 * 1024 * 1024)}\nsay hi\n`);
    expect(err).toContain("wakeful: line 1 was not sent: it is 10.5 MB long");
    expect(out).toBe("> say hi\n[running]\nhi\n[idle]\n");
    expect(code).toBe(1);
  });

  it("takes text with NUL, bytes that are no UTF-8, and control characters", async () => {
    const { code, out } = await wakeful(["run"], Buffer.from("say a\0b \xff \x1b[2J!\n", "latin1"));
    expect(out).toMatch(/^> say a/);
    expect(out).not.toContain("\u001b");
    expect(code).toBe(0);
  });

  it("ends quietly when the reader of its output goes away", async () => {
    const child = start([...examples, "count to 1000"]);
    child.stdin.end();
    const err = text(child.stderr);
    await until(child.stdout, /count_up: 1/);
    child.stdout.destroy();
    expect(await codeOf(child)).toBe(0);
    expect((await err).trimEnd().split("\n")).toHaveLength(1);
  });

  it.each([
    ["a subscription that goes on", [...examples, "count to 1000"], /count_up: 1/],
    [
      "a tool that never ends",
      ["run", "--tools", "test/cli/fixtures/forever.ts", "call forever {}"],
      /awaitingActiveCall/,
    ],
  ])("waits for %s until Ctrl-C", async (_, args, seen) => {
    const child = start(args);
    child.stdin.end();
    await until(child.stdout, seen);
    child.kill("SIGINT");
    expect(await codeOf(child)).toBe(130);
  });

  it("prints JSON lines for other programs", async () => {
    const { code, out } = await wakeful([...examples, "--json", "add", "2", "and", "3"]);
    const updates = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(updates.find(({ type }) => type === "call.made")).toMatchObject({ display: "Calculate 2 + 3" });
    expect(updates.at(-1)).toMatchObject({ type: "state.changed", state: "idle" });
    expect(code).toBe(0);
  });
});
