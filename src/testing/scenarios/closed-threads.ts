import type { Store } from "../../store/store.ts";

/** Facts read at once. */
const page = 500;

/** Threads that have closed, in the order in which they did, whoever watched: read from the feed. */
export const closedThreads = async (store: Pick<Store, "feed">): Promise<readonly string[]> => {
  const closed: string[] = [];
  for (let after = 0; ; ) {
    const facts = await store.feed({ after, limit: page });
    const last = facts.at(-1);
    if (!last) return closed;
    after = last.feed;
    for (const fact of facts) if (fact.type === "state.changed" && fact.state === "closed") closed.push(fact.threadId);
  }
};
