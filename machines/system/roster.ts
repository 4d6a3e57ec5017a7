import type { ThreadId } from "../history/ids.ts";

/** A thread with work that a start found. `restarts`: how often in a row it was begun again after its process had died. */
export interface FoundThread {
  readonly threadId: ThreadId;
  readonly restarts: number;
}

/** Threads with work, by id; `last`: there are no more behind them. */
export interface FoundPage {
  readonly threads: readonly FoundThread[];
  readonly last: boolean;
}

/** The bounds that the system machine keeps. */
export interface SystemLimits {
  /** Threads that are brought into memory at the same time. */
  readonly atOnce: number;
  /** Threads that may have killed the process and are tried at the same time. */
  readonly suspectsAtOnce: number;
  /**
   * How often in a row a thread is begun again after a death; then the thread itself says that it is set aside. Also how
   * often its actor may fail in one life without that; then it is left alone.
   */
  readonly restarts: number;
}

/** Who is still to be taken up, who is on the way, and who failed. Never the threads that work. */
export interface Roster {
  readonly limits: SystemLimits;
  /** The next page begins behind this one; null before the first. */
  readonly after: ThreadId | null;
  readonly hasListedAll: boolean;
  /** Listed, and not begun. */
  readonly waiting: readonly ThreadId[];
  /** Begun once the others are: one of them killed the process. */
  readonly suspects: readonly FoundThread[];
  /** On their way into memory. */
  readonly beginning: readonly ThreadId[];
  /** Suspects that are at work and have not come to rest. */
  readonly onTrial: readonly ThreadId[];
  /** How often in a row the actor of a thread failed in this life. */
  readonly failures: Readonly<Record<ThreadId, number>>;
  /** Threads that are left alone in this life. */
  readonly aside: readonly ThreadId[];
  /** Why the system never began; null when it did. */
  readonly refusal: unknown;
}

export const newRoster = (limits: SystemLimits): Roster => ({
  limits,
  after: null,
  hasListedAll: false,
  waiting: [],
  suspects: [],
  beginning: [],
  onTrial: [],
  failures: {},
  aside: [],
  refusal: null,
});

const without = (ids: readonly ThreadId[], threadId: ThreadId): readonly ThreadId[] =>
  ids.includes(threadId) ? ids.filter((id) => id !== threadId) : ids;

export const enlist = (roster: Roster, { threads, last }: FoundPage): Roster => ({
  ...roster,
  after: threads.at(-1)?.threadId ?? roster.after,
  hasListedAll: last,
  waiting: [...roster.waiting, ...threads.flatMap(({ threadId, restarts }) => (restarts === 0 ? [threadId] : []))],
  suspects: [...roster.suspects, ...threads.filter(({ restarts }) => restarts > 0)],
});

export const mayBegin = ({ waiting, beginning, limits }: Roster): boolean =>
  waiting.length > 0 && beginning.length < limits.atOnce;

export const hasMoreToList = ({ waiting, hasListedAll }: Roster): boolean => waiting.length === 0 && !hasListedAll;

export const isThrough = ({ waiting, beginning, hasListedAll }: Roster): boolean =>
  hasListedAll && waiting.length === 0 && beginning.length === 0;

/** As many as there is room for. */
export const nextToBegin = ({ waiting, beginning, limits }: Roster): readonly ThreadId[] =>
  waiting.slice(0, limits.atOnce - beginning.length);

export const begun = (roster: Roster, threadIds: readonly ThreadId[]): Roster => ({
  ...roster,
  waiting: roster.waiting.slice(threadIds.length),
  beginning: [...roster.beginning, ...threadIds],
});

/** It is in memory, or cannot be. */
export const arrived = (roster: Roster, threadId: ThreadId): Roster => ({
  ...roster,
  beginning: without(roster.beginning, threadId),
});

/**
 * Those with the fewest deaths come first, several at a time. One that would be set aside after one death more is tried
 * alone: only the thread that kills the process is set aside.
 */
export const nextOnTrial = ({ suspects, limits }: Roster): readonly ThreadId[] => {
  const fewest = Math.min(...suspects.map(({ restarts }) => restarts));
  const group = suspects.filter(({ restarts }) => restarts === fewest);
  const room = fewest >= limits.restarts - 1 ? 1 : limits.suspectsAtOnce;
  return group.slice(0, room).map(({ threadId }) => threadId);
};

export const putOnTrial = (roster: Roster, threadIds: readonly ThreadId[]): Roster => ({
  ...roster,
  suspects: roster.suspects.filter(({ threadId }) => !threadIds.includes(threadId)),
  onTrial: threadIds,
});

/** A thread that came to rest has got past what failed before. */
export const rested = (roster: Roster, threadId: ThreadId): Roster => {
  const { [threadId]: _, ...failures } = roster.failures;
  return { ...roster, failures, onTrial: without(roster.onTrial, threadId) };
};

export const failuresOf = ({ failures }: Roster, threadId: ThreadId): number => failures[threadId] ?? 0;

export const failed = (roster: Roster, threadId: ThreadId): Roster => ({
  ...roster,
  failures: { ...roster.failures, [threadId]: failuresOf(roster, threadId) + 1 },
});

export const failsTooOften = (roster: Roster, threadId: ThreadId): boolean =>
  failuresOf(roster, threadId) > roster.limits.restarts;

/** It harms no other from here on. */
export const leftAlone = (roster: Roster, threadId: ThreadId): Roster => ({
  ...rested(arrived(roster, threadId), threadId),
  aside: [...without(roster.aside, threadId), threadId],
});

/** A person wants it to be tried again. */
export const calledBack = (roster: Roster, threadId: ThreadId): Roster => ({
  ...roster,
  aside: without(roster.aside, threadId),
});

/** ms before a thread whose actor failed is loaded again; doubled each time, up to the last. */
const firstWait = 1_000;
const longestWait = 60_000;

export const waitAfterFailure = (roster: Roster, threadId: ThreadId): number =>
  Math.min(firstWait * 2 ** (failuresOf(roster, threadId) - 1), longestWait);
