import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { silentLogger } from "../../../src/logger.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { notesIn } from "../notes.ts";
import { endOf, start } from "../processes/start.ts";
import { until } from "../until.ts";
import { loadIn, pause, seeded, threadIds } from "./load.ts";
import { cursorIn } from "./reader.ts";
import type { Runs } from "./runner.ts";
import type { SentNote } from "./sender.ts";

export interface Siege {
  readonly folder: string;
  /** `processes/load.ts`, as a file that can be run. */
  readonly script: string;
  readonly kills: number;
  readonly seed: number;
  /** Called when a runner was killed once more, with how often by then. */
  readonly onKill?: (kills: number) => void;
}

/** Kills of each part. */
export type Kills = Record<Part, number>;
type Part = "runner" | "reader" | "sender";

/** ms within which a process is killed. */
const longest = 500;
/** The sender is killed once in so many times. */
const senderEvery = 4;

/**
 * Kills the processes of a load at random moments and starts them again, as often as asked; then lets everything come to its
 * end. Every process it started has ended when it resolves.
 */
export const besiege = async ({ folder, script, kills, seed, onKill }: Siege): Promise<Kills> => {
  const load = loadIn(folder);
  const random = seeded(seed);
  const killed: Kills = { runner: 0, reader: 0, sender: 0 };
  const alive = new Map<Part, ChildProcess>();

  const begin = (part: Part): ChildProcess => {
    const child = start(script, part, folder);
    alive.set(part, child);
    return child;
  };
  const kill = async (part: Part): Promise<void> => {
    const child = alive.get(part);
    if (!child) return;
    child.kill("SIGKILL");
    const end = await endOf(child);
    if (end !== "SIGKILL") throw new Error(`the ${part} ended by itself, with ${end}`);
    alive.delete(part);
  };
  const again = async (part: Part, wait: number): Promise<void> => {
    await pause(wait);
    await kill(part);
    killed[part]++;
    begin(part);
  };

  try {
    begin("runner");
    begin("reader");
    begin("sender");
    for (let round = 1; round <= kills; round++) {
      // Three times of four the runner has begun to work: else most would die before they begin.
      const { pid } = alive.get("runner") ?? {};
      if (random() < 0.75)
        await until("the runner runs", () => notesIn<Runs>(load.runs).find((runs) => runs.pid === pid));
      await Promise.all([
        again("runner", random() * longest),
        again("reader", random() * longest),
        ...(round % senderEvery === 0 ? [again("sender", random() * longest)] : []),
      ]);
      onKill?.(round);
    }
    writeFileSync(load.enough, "");
    await until("the sender has nothing left", () =>
      notesIn<SentNote>(load.sent).find(({ what }) => what === "has nothing left"),
    );
    const last = await until("all threads rest", () => lastFactAtRest(load.file));
    await until("the reader is there", () => (cursorIn(load.cursor) >= last ? true : undefined));
  } finally {
    await Promise.all([...alive.keys()].map(kill));
  }
  return killed;
};

/**
 * The last position of the feed when no thread has anything left to do; undefined while one has. An event's child that is idle
 * still waits for the timer that closes it.
 */
const lastFactAtRest = async (file: string): Promise<number | undefined> => {
  const store = sqliteStore(file, { logger: silentLogger });
  try {
    const threads = await store.threads();
    const rests = (state: string): boolean => state === "idle" || state === "closed";
    const busy = threads.some(({ state, waiting, due }) => !rests(state) || waiting > 0 || due);
    if (busy || threads.length < threadIds.length) return undefined;
    if ((await store.nextTimer(0)) !== undefined) return undefined;
    const facts = await store.feed({ after: 0, limit: Number.MAX_SAFE_INTEGER });
    return facts.at(-1)?.feed ?? 0;
  } finally {
    await store.close();
  }
};
