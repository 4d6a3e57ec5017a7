import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { textOf } from "../../machines/history/entry.ts";
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

/** Two processes on one file: the first is paused somewhere, and the second takes over when its lease is over. */
const pausedAt = async (pausesAt: NonNullable<Runner["pausesAt"]>) => {
  const file = freshFile("paused.db");
  const notes = `${file}.notes`;
  const answer = `${file}.answer`;
  const runner = (more: Pick<Runner, "name" | "lease" | "waits"> & Partial<Runner>) => {
    const child = inProcess("runner.ts", JSON.stringify({ file, notes, ...more }));
    running.push(child);
    return child;
  };
  const noted = (name: string, what: RunnerNote["what"]) =>
    until(`${name} ${what}`, () => notesIn<RunnerNote>(notes).find((note) => note.name === name && note.what === what));
  const first = runner({ name: "first", lease: 400, waits: false, pausesAt });
  await noted("first", "pauses");
  const slow = pausesAt === "asking" && { answersAfter: answer };
  runner({ name: "second", lease: 20_000, waits: true, ...slow });
  // As far as the second gets before the first goes on.
  await noted("second", slow ? "is asked" : "rests");
  const before = await findIn(file, threadId);
  // It says that it pauses before it does: one that is slow to stop would miss a single signal.
  const end = await until("first ends", () => {
    first.kill("SIGCONT");
    return first.exitCode ?? first.signalCode ?? undefined;
  });
  const then = await findIn(file, threadId);
  writeFileSync(answer, "");
  await noted("second", "rests");
  const after = await findIn(file, threadId);
  return { before, then, after, end, notes: notesIn<RunnerNote>(notes) };
};

describe("a system that was paused beyond its lease, while another took over", () => {
  it.concurrent.each(["accepted", "asking", "committed", "marked", "handed-over"] as const)(
    "at `%s`: stops when it goes on, commits nothing, and hands over nothing (R7, R8)",
    { timeout: 120_000 },
    async (where) => {
      const { before, then, after, end, notes } = await pausedAt(where);
      expect(end).toBe(0);
      expect(notes.filter(({ name }) => name === "first").at(-1)).toMatchObject({ what: "was stopped" });
      const began = notes.flatMap((note) => (note.what === "began" ? [note.name] : []));
      expect(began.length, `it began in ${began.join(", ")}`).toBeLessThanOrEqual(1);
      expect(then.history).toEqual(before.history);
      // A tool that had begun may have its result accepted: that is discarded, by the process that runs the thread.
      for (const fact of then.feed.slice(before.feed.length))
        expect(fact.type).toMatch(/^input\.(accepted|discarded)$/);
      expect(textsIn(after)).toEqual(["go"]);
      expect([...faultsOfHistory(after), ...faultsOfInputs(after), ...faultsOfRest(after)]).toEqual([]);
      const lost = where === "marked" || where === "handed-over";
      expect(resultsIn(after).map(({ origin }) => origin)).toEqual([lost ? "restart" : "tool"]);
      if (!lost) expect(resultsIn(after).map(({ content }) => textOf(content))).toEqual(["worked by second"]);
    },
  );
});
