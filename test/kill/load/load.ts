import { join } from "node:path";

/** What the processes of one load share: a folder, and what is in it. */
export interface Load {
  /** The store. */
  readonly file: string;
  /** What the sender sent, and what was acknowledged. */
  readonly sent: string;
  /** The runners that came so far as to run. */
  readonly runs: string;
  /** Threads that came back into the memory of a runner. */
  readonly wakes: string;
  /** What the tools of the runner began. */
  readonly begun: string;
  /** What the reader read of the feed. */
  readonly read: string;
  /** Where the reader reads on. */
  readonly cursor: string;
  /** While this file is not there the sender thinks of more to send. */
  readonly enough: string;
}

export const loadIn = (folder: string): Load => ({
  file: join(folder, "load.db"),
  sent: join(folder, "sent"),
  runs: join(folder, "runs"),
  wakes: join(folder, "wakes"),
  begun: join(folder, "begun"),
  read: join(folder, "read"),
  cursor: join(folder, "cursor"),
  enough: join(folder, "enough"),
});

export const threadIds = ["load/a", "load/b", "load/c", "load/d"];

/** ms that a runner may be gone before the next takes over. */
export const lease = 300;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Numbers in [0, 1) that are the same for the same seed. */
export const seeded = (seed: number): (() => number) => {
  let state = (seed % 2_147_483_646) + 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  // Seeds that are neighbours begin alike.
  for (let times = 0; times < 3; times++) next();
  return next;
};
