import type { ChildProcess } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { freshFile, removeFiles } from "./files.ts";
import { findIn, resultsIn, textsIn } from "./found.ts";
import { notesIn } from "./notes.ts";
import { endOf, inProcess } from "./processes/start.ts";
import { faultsOfHistory, faultsOfInputs, faultsOfRest } from "./rules.ts";
import { type Runner, type RunnerNote, threadId } from "./runner.ts";
import { until } from "./until.ts";

const running: ChildProcess[] = [];
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(running.map(endOf));
  removeFiles();
});

describe("two systems on one file, each in its process", () => {
  it("are one too many: the second is told who runs, and takes over when that one is killed (R8)", {
    timeout: 120_000,
  }, async () => {
    const file = freshFile("shared.db");
    const notes = `${file}.notes`;
    const begin = (more: Omit<Runner, "file" | "notes">) => {
      const child = inProcess("runner.ts", JSON.stringify({ file, notes, ...more }));
      running.push(child);
      return child;
    };
    const noted = <What extends RunnerNote["what"]>(name: string, what: What) =>
      until(`${name} ${what}`, () =>
        notesIn<RunnerNote>(notes).find(
          (note): note is Extract<RunnerNote, { what: What }> => note.name === name && note.what === what,
        ),
      );

    const first = begin({ name: "first", lease: 3_000, waits: false });
    await noted("first", "rests");
    const second = begin({ name: "second", lease: 3_000, waits: false });
    const { holder, until: end, message } = await noted("second", "refused");
    expect(holder).toContain(`process ${first.pid} `);
    expect(message).toContain(new Date(end).toISOString());
    expect(await endOf(second)).toBe(0);

    begin({ name: "third", lease: 3_000, waits: true });
    first.kill("SIGKILL");
    expect(await endOf(first)).toBe("SIGKILL");
    await noted("third", "rests");
    const found = await findIn(file, threadId);
    expect([...faultsOfHistory(found), ...faultsOfInputs(found), ...faultsOfRest(found)]).toEqual([]);
    expect(textsIn(found)).toEqual(["go"]);
    expect(resultsIn(found)).toHaveLength(1);
    expect(notesIn<RunnerNote>(notes).filter(({ what }) => what === "began")).toHaveLength(1);
  });
});
