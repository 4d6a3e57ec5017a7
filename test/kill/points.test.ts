import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CrashPoint, crashPoints } from "../../src/crash-points.ts";
import { alwaysMet, type Behaviour, behaviours } from "./behaviours.ts";
import { type Death, deathsOn, untilDeath } from "./deaths.ts";
import { freshFile, removeFiles } from "./files.ts";
import { type Found, findIn } from "./found.ts";
import { type Life, type Note, threadId } from "./life.ts";
import { notesIn } from "./notes.ts";
import { inOneFile } from "./one-file.ts";
import { inPool } from "./pool.ts";
import { endOf, start } from "./processes/start.ts";
import { faultsAfterRestart, faultsAtDeath } from "./restart.ts";
import { faultsOfHistory, faultsOfInputs, faultsOfOrder, faultsOfRest, faultsOfResults } from "./rules.ts";

/** A story that was cut by SIGKILL, and taken up by another process on the same file. */
interface Cut extends Death {
  readonly name: string;
  readonly story: Behaviour;
  /** The points up to the death, as a process meets them that does not die. */
  readonly trail: readonly CrashPoint[];
  readonly end: number | string;
  readonly before: Found;
  readonly after: Found;
  readonly notes: readonly Note[];
}

const cuts: Cut[] = [];
let script = "";

const liveAll = (lives: readonly Life[]) => endOf(start(script, JSON.stringify(lives)));

const lifeOf = (behaviour: string): Life => {
  const file = freshFile("story.db");
  return { behaviour, file, notes: `${file}.notes`, life: 1 };
};

/** Each death in a process of its own; what they left is taken up in one process. */
const cutEverywhere = async (behaviour: string, story: Behaviour): Promise<void> => {
  const whole = lifeOf(behaviour);
  if ((await liveAll([whole])) !== 0) throw new Error(`${behaviour}: the story does not come to its end`);
  const trail = notesIn<Note>(whole.notes).flatMap((note) => (note.what === "ended" ? note.trail : []));
  const begun: { death: Death; life: Life; end: number | string; before: Found }[] = [];
  for (const death of deathsOn(trail)) {
    const life = lifeOf(behaviour);
    const end = await liveAll([{ ...life, dies: death }]);
    begun.push({ death, life, end, before: await findIn(life.file, threadId) });
  }
  await liveAll(begun.map(({ life }) => ({ ...life, life: 2 })));
  for (const { death, life, end, before } of begun) {
    const name = `${behaviour}, killed at visit ${death.visit} of ${death.point}`;
    const after = await findIn(life.file, threadId);
    const notes = notesIn<Note>(life.notes);
    cuts.push({ ...death, name, story, end, before, after, notes, trail: untilDeath(trail, death) });
  }
};

beforeAll(async () => {
  script = await inOneFile("processes/lives.ts", freshFile("script"));
  await inPool(Object.entries(behaviours), 2, ([name, story]) => cutEverywhere(name, story));
}, 240_000);

afterAll(removeFiles);

/** The faults of all, each with the name of its story. */
const faultsOfAll = (check: (cut: Cut) => readonly string[]): string[] =>
  cuts.flatMap((cut) => check(cut).map((fault) => `${cut.name}: ${fault}`));

describe("a process that is killed at a named point, whatever its tool does", () => {
  it("dies at every point that its story meets", () => {
    expect(faultsOfAll(({ end }) => (end === "SIGKILL" ? [] : [`it ended with ${end}`]))).toEqual([]);
    for (const story of Object.values(behaviours)) {
      const met = new Set(cuts.filter((cut) => cut.story === story).map(({ point }) => point));
      expect([...met].sort()).toEqual([...alwaysMet, ...story.meets].sort());
    }
    expect([...new Set(cuts.map(({ point }) => point))].sort()).toEqual([...crashPoints].sort());
  });

  it("leaves what was acknowledged, and no work that is not in the store (R1, R7)", () =>
    expect(faultsOfAll(({ before, notes }) => faultsAtDeath(before, notes))).toEqual([]));

  it("leaves a commit as a whole or nothing of it (R5)", () =>
    expect(
      faultsOfAll(({ before, trail }) => {
        const commits = trail.filter((point) => point === "committed").length;
        const version = before.thread?.version ?? 0;
        return [...faultsOfHistory(before), ...(version === commits ? [] : [`${version} of ${commits} commits`])];
      }),
    ).toEqual([]));

  it("is followed by one that does with its call what the record says, once (R2, R7, R9)", () =>
    expect(faultsOfAll(({ story, before, notes, after }) => faultsAfterRestart(story, before, notes, after))).toEqual(
      [],
    ));

  it("is followed by one that finds every input a place, and no input two (R1, R2)", () =>
    expect(faultsOfAll(({ after }) => faultsOfInputs(after))).toEqual([]));

  it("is followed by one that keeps the history well formed, and its order (R3, R4, R5, R6)", () =>
    expect(
      faultsOfAll(({ story, after }) => [
        ...faultsOfHistory(after),
        ...faultsOfResults(after),
        ...faultsOfOrder(after, ["go", ...(story.texts ?? []).map(({ id }) => id)]),
      ]),
    ).toEqual([]));

  it("is followed by one that comes to rest (R9)", () =>
    expect(faultsOfAll(({ after }) => faultsOfRest(after))).toEqual([]));
});
