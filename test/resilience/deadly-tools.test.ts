import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOf } from "../../machines/history/faults.ts";
import { freshFile, removeFiles } from "../kill/files.ts";
import { findIn, resultsIn, textsIn } from "../kill/found.ts";
import { notesIn } from "../kill/notes.ts";
import { inOneFile } from "../kill/one-file.ts";
import { endOf, startWith } from "../kill/processes/start.ts";
import type { Note } from "./processes/deadly.ts";

afterAll(removeFiles);

const begin = (file: string, harm: string, onRestart: string) =>
  startWith(["--max-old-space-size=48"], script, file, `${file}.notes`, harm, onRestart);

let script = "";
beforeAll(async () => {
  script = await inOneFile(fileURLToPath(new URL("processes/deadly.ts", import.meta.url)), freshFile("script"));
}, 60_000);

const whatOf = (file: string): string[] => notesIn<Note>(`${file}.notes`).map(({ what }) => what);

/** Processes one after the other, until one comes to its end. Resolves to how each ended. */
const lives = async (harm: string, onRestart: string) => {
  const file = freshFile("deadly.db");
  const ends: (number | string)[] = [];
  while (ends.length < 6 && ends.at(-1) !== 0) ends.push(await endOf(begin(file, harm, onRestart)));
  const [bad, good] = await Promise.all([findIn(file, "bad"), findIn(file, "good")]);
  return { ends, bad, good, what: whatOf(file) };
};

const harms = ["exits", "runs out of memory"];

describe.concurrent.each(harms)("a process in which a tool %s", (harm) => {
  it("is followed by one in which the model reads that the call was lost; nothing else is (R1, R5, R9)", {
    timeout: 60_000,
  }, async () => {
    const { ends, bad, good } = await lives(harm, "fail");
    expect(ends).toHaveLength(2);
    expect(ends[1]).toBe(0);
    expect(resultsIn(bad).map(({ origin }) => origin)).toEqual(["restart"]);
    expect(textsIn(bad)).toEqual(["do harm"]);
    expect(textsIn(good)).toEqual(["hello"]);
    expect(faultsOf(bad.history, [])).toEqual([]);
  });

  it("dies again where the call may be made again, until the thread is set aside; the other is served (R1, R8)", {
    timeout: 60_000,
  }, async () => {
    const { ends, bad, good, what } = await lives(harm, "again");
    expect(ends.at(-1)).toBe(0);
    expect(what.filter((one) => one === "began").length).toBe(ends.length - 1);
    expect(bad.thread?.record.quarantined).toMatchObject({ reason: "process-died" });
    expect(textsIn(bad)).toEqual(["do harm"]);
    expect(good.history.map(({ entry }) => entry.kind)).toEqual(["user", "turn"]);
  });
});

describe.concurrent("a process whose event loop a tool blocks until its lease is over", () => {
  it("is taken over from, and stops by itself; the call has one result, and no text is there twice (R2, R7, R8)", {
    timeout: 60_000,
  }, async () => {
    const file = freshFile("deadly.db");
    const first = begin(file, "blocks the event loop", "fail");
    const second = begin(file, "blocks the event loop", "fail");
    expect(await Promise.all([endOf(first), endOf(second)])).toEqual([0, 0]);
    const [bad, good] = await Promise.all([findIn(file, "bad"), findIn(file, "good")]);
    expect(whatOf(file).filter((one) => one === "began")).toHaveLength(1);
    expect(whatOf(file)).toEqual(expect.arrayContaining(["ended", "rests"]));
    expect(resultsIn(bad)).toHaveLength(1);
    expect(textsIn(bad)).toEqual(["do harm"]);
    expect(textsIn(good)).toEqual(["hello"]);
    expect(faultsOf(bad.history, [])).toEqual([]);
  });
});
