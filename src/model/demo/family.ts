/** How the demo model reads what the runtime tells threads of each other: as a model does, from the words. */

/** How a child begins. */
export interface Seed {
  readonly threadId: string;
  /** The threads above it, root first, and itself. */
  readonly stack: readonly string[];
  /** What a spawned child is to do; undefined for one that handles an event. */
  readonly instructions?: string;
}

/** The stack that a text names. */
export const stackIn = (text: string): readonly string[] | undefined => {
  const json = /full thread stack, root first, is (\[[^\]]*\])/.exec(text)?.[1];
  if (json === undefined) return undefined;
  try {
    const ids: unknown = JSON.parse(json);
    return Array.isArray(ids) ? ids.map(String) : undefined;
  } catch {
    return undefined;
  }
};

/** What a child reads where it begins; undefined for any other text. */
export const seedIn = (text: string): Seed | undefined => {
  const threadId = /^You are a child thread from here on\b.*?Your thread id is (\S+)\. /.exec(text)?.[1];
  const stack = stackIn(text);
  if (threadId === undefined || !stack) return undefined;
  const instructions = /\n\nYour instructions:\n([\s\S]*)$/.exec(text)?.[1];
  return { threadId, stack, ...(instructions !== undefined && { instructions }) };
};

/** A spawning call named a stack that is not the caller's; this is the true one. */
export const trueStackIn = (text: string): readonly string[] | undefined =>
  /^Error: child_of is not your thread stack\b/.test(text) ? stackIn(text) : undefined;

/** The last report of a child that has closed, "" when it gave none; undefined for any other text. */
export const lastReportIn = (text: string): string | undefined => {
  const rest = /^The child thread \S+ has closed\b([\s\S]*)$/.exec(text)?.[1];
  return rest === undefined ? undefined : (/^\. Its last report:\n([\s\S]*)$/.exec(rest)?.[1] ?? "");
};

/** The call is the parent's, and so is its result. */
export const isElsewhere = (text: string): boolean => text.startsWith("Not known here: your parent made this call");

/** The child that a spawning call made. */
export const spawnedIn = (text: string): string | undefined => /^Spawned the child thread (\S+)\. /.exec(text)?.[1];
