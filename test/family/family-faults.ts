import type { ThreadId } from "../../machines/history/ids.ts";
import type { Played } from "./moments.ts";

/**
 * What is wrong with a family in which nothing moves any more, in words; empty: nothing. No input waits without an active
 * call that holds it back, nothing runs, each open child is in the record of a parent that is open too, each end was told
 * once, tools work for outstanding calls alone, and sources are listened to for open subscriptions alone.
 */
export const familyFaults = async ({ store, atWork, listenedTo }: Played): Promise<readonly string[]> => {
  const faults: string[] = [];
  const threads = await store.threads();
  const facts = await store.feed({ after: 0, limit: 1e6 });
  const outstanding = new Set<string>();
  let subscriptions = 0;
  for (const { threadId, parent, state, waiting } of threads) {
    const loaded = await store.load(threadId);
    const above = parent ? await store.load(parent) : undefined;
    if (!loaded) throw new Error(`${threadId} is listed and not there`);
    for (const { callId } of loaded.calls) outstanding.add(callId);
    subscriptions += loaded.subscriptions.filter(({ form }) => form === "subscribe").length;
    if (state === "running") faults.push(`${threadId} runs, and nothing moves`);
    if (waiting > 0 && state !== "awaitingActiveCall")
      faults.push(`${threadId} is ${state}, and ${waiting} inputs wait`);
    const isListed = above?.children.some((child) => child.threadId === threadId);
    if (state === "closed") {
      if (isListed) faults.push(`${threadId} has closed, and its parent still counts on it`);
      if (loaded.calls.length + loaded.subscriptions.length + loaded.children.length > 0)
        faults.push(`${threadId} has closed, and something of it is open`);
    } else if (above) {
      if (above.record.state === "closed") faults.push(`nobody can reach ${threadId}: its parent has closed`);
      if (!isListed) faults.push(`nobody can reach ${threadId}: its parent does not know it`);
    }
    const ends = facts.filter((fact) => fact.type === "child.ended" && fact.childId === threadId).length;
    if (parent && ends !== (state === "closed" ? 1 : 0))
      faults.push(`${threadId} is ${state}, and ended ${ends} times`);
    faults.push(
      ...(await historyFaults(
        store,
        threadId,
        loaded.calls.map(({ callId }) => callId),
      )),
    );
  }
  for (const work of atWork())
    if (!outstanding.has(work.split(" ")[1] ?? "")) faults.push(`${work} is at work for nobody`);
  if (listenedTo() !== subscriptions)
    faults.push(`${listenedTo()} sources are listened to, and ${subscriptions} subscriptions are open`);
  for (const fact of facts)
    if (fact.type === "failure" && fact.code !== "TOOL_FAILED") faults.push(`${fact.threadId} failed: ${fact.message}`);
  return faults;
};

/** Each call of a thread's own turns has one result, or is outstanding. */
const historyFaults = async (
  store: Played["store"],
  threadId: ThreadId,
  outstanding: readonly string[],
): Promise<readonly string[]> => {
  const entries = (await store.history(threadId)).map(({ entry }) => entry);
  const made = entries.flatMap((entry) =>
    entry.kind === "turn" ? entry.parts.flatMap((part) => (part.type === "call" ? [part.callId] : [])) : [],
  );
  return made.flatMap((callId) => {
    const results = entries.filter((entry) => entry.kind === "result" && entry.callId === callId).length;
    const due = outstanding.includes(callId) ? 0 : 1;
    return results === due ? [] : [`${callId} of ${threadId} has ${results} results where ${due} belong`];
  });
};

/** The thread and all below it, as the store has them. */
export const subtree = async ({ store }: Played, threadId: string): Promise<readonly ThreadId[]> => {
  const below = await store.threads({ parent: threadId as ThreadId });
  const deeper = await Promise.all(below.map((child) => subtree({ store } as Played, child.threadId)));
  return [threadId as ThreadId, ...deeper.flat()];
};
