import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conformanceCommand } from "../../../src/cli/conformance/command.ts";
import type { Io } from "../../../src/cli/io.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wakeful-scenarios-"));
});
afterAll(() => rm(folder, { recursive: true }));

const story = (id: string, answer: string) => ({
  id,
  title: `answers ${answer}`,
  steps: [
    { op: "user", thread: "t1", text: "go" },
    { op: "model_text", thread: "t1", text: answer },
  ],
  expect: { stored: { t1: [{ role: "user" }, { text_contains: "right" }] } },
});
const skipped = { id: "V3", title: "fails to resolve", steps: [{ op: "fail_next", what: "model_resolve" }] };

const file = async (name: string, scenarios: readonly object[]): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify({ version: 1, scenarios }));
  return path;
};

interface Ran {
  readonly lines: readonly string[];
  readonly code: number | undefined;
  /** The message of what the command rejected with. */
  readonly complaint?: string;
}

const run = async (args: readonly string[], { isTTY = false } = {}): Promise<Ran> => {
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const io: Io = {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: { TERM: "xterm" },
    onSignal: () => () => {},
    leave: () => {},
  };
  let code: number | undefined;
  const command = conformanceCommand(io, (exit) => {
    code = exit;
  }).exitOverride();
  for (const inner of command.commands) inner.exitOverride().configureOutput({ writeErr: () => {} });
  const outcome = await command.parseAsync(["scenarios", ...args], { from: "user" }).then(
    () => ({}),
    (error: Error) => ({ complaint: error.message }),
  );
  stdout.end();
  const written = await text(stdout);
  return { lines: written.split("\n").filter((line) => line !== ""), code, ...outcome };
};

describe("wakeful conformance scenarios", () => {
  it("prints a line for each scenario and counts them, and its exit code is 0 when none failed", async () => {
    const path = await file("good.json", [story("V1", "right"), skipped]);
    expect(await run([path])).toEqual({
      lines: [
        "ok V1 answers right",
        "skip V3 fails to resolve (needs failing model resolution)",
        "1 passed, 0 failed, 1 skipped",
      ],
      code: 0,
    });
  });

  it("prints what was expected and what was seen, and its exit code is 1 when one failed", async () => {
    const path = await file("mixed.json", [story("V1", "right"), story("V2", "wrong")]);
    expect(await run([path])).toEqual({
      lines: [
        "ok V1 answers right",
        "FAIL V2 answers wrong",
        "  at the end: stored history of t1",
        "      expected   seen",
        '      user       user text "go"',
        '    ≠ "…right…"  assistant text "wrong"',
        "1 passed, 1 failed, 0 skipped",
      ],
      code: 1,
    });
  });

  it("plays several files, and of them those that were asked for", async () => {
    const paths = [await file("a.json", [story("V1", "right"), skipped]), await file("b.json", [story("V2", "right")])];
    const { lines } = await run([...paths, "--only", "V3", "V2"]);
    expect(lines).toEqual([
      "skip V3 fails to resolve (needs failing model resolution)",
      "ok V2 answers right",
      "1 passed, 0 failed, 1 skipped",
    ]);
    expect((await run([...paths, "--only", "V3,V2"])).lines).toEqual(lines);
  });

  it("prints one JSON object a line, the counts last", async () => {
    const path = await file("json.json", [story("V1", "right"), story("V2", "wrong"), skipped]);
    const { lines, code } = await run(["--json", path]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { file: path, id: "V1", title: "answers right", outcome: "passed" },
      {
        file: path,
        id: "V2",
        title: "answers wrong",
        outcome: "failed",
        notes: [],
        differences: [
          {
            where: "at the end",
            what: "stored history of t1",
            rows: [
              { fits: true, expected: "user", seen: 'user text "go"' },
              { fits: false, expected: '"…right…"', seen: 'assistant text "wrong"' },
            ],
          },
        ],
      },
      { file: path, id: "V3", title: "fails to resolve", outcome: "skipped", needs: ["failing model resolution"] },
      { passed: 1, failed: 1, skipped: 1 },
    ]);
    expect(code).toBe(1);
  });

  it("colours on a terminal only", async () => {
    const path = await file("colour.json", [story("V1", "right")]);
    expect((await run([path], { isTTY: true })).lines[0]).toBe("\u001b[32mok\u001b[39m V1 answers right");
  });

  it("names the file and the problem, and plays nothing, when one file of several is wrong", async () => {
    const good = await file("first.json", [story("V1", "right")]);
    const bad = await file("bad.json", [{ id: "V2", title: "two", steps: [{ op: "wait" }] }]);
    expect(await run([good, bad])).toEqual({
      lines: [],
      code: undefined,
      complaint: expect.stringMatching(/bad\.json, scenario V2, steps\[0\]\.op: unknown op "wait"; known are user/),
    });
    expect((await run([join(folder, "none.json")])).complaint).toMatch(/none\.json: there is no such file$/);
    expect((await run([folder])).complaint).toMatch(/: it is a folder; name the files in it$/);
  });

  it("refuses an id that no scenario has, a store it does not know, and no files at all", async () => {
    const path = await file("only.json", [story("V1", "right")]);
    expect((await run([path, "--only", "V9"])).complaint).toContain('no scenario of the files has the id "V9"');
    expect((await run([path, "--store", "paper"])).complaint).toContain("Allowed choices are memory");
    expect((await run([])).complaint).toContain("missing required argument 'FILE'");
  });
});
