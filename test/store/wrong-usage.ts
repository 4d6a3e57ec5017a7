import type { ThreadId } from "../../machines/history/ids.ts";
import type { Usage } from "../../machines/round/turn.ts";
import type { Store } from "../../src/store/store.ts";
import { type WrongStore, wrong } from "./wrong-store.ts";

const ownUsage = async (store: Store, threadId: ThreadId): Promise<Usage> =>
  (await store.load(threadId))?.record.usage ?? { inputTokens: 0, outputTokens: 0 };

/** Stores that are wrong about what trees have used: S22. */
export const wrongUsage: readonly WrongStore[] = [
  wrong("counts the root alone", "sums what a root and all threads below it have used", (right) => ({
    treeUsage: (root) => ownUsage(right, root),
  })),
  wrong("counts children and no further", "sums what a root and all threads below it have used", (right) => ({
    async treeUsage(root) {
      const below = await right.threads({ parent: root });
      const all = await Promise.all([root, ...below.map(({ threadId }) => threadId)].map((id) => ownUsage(right, id)));
      const sum = (part: keyof Usage) => all.reduce((total, usage) => total + (usage[part] ?? 0), 0);
      return { inputTokens: sum("inputTokens"), outputTokens: sum("outputTokens"), cost: sum("cost") };
    },
  })),
  wrong("counts each commit", "counts what the last commit of a thread left", (right) => {
    let inputTokens = 0;
    return {
      commit(commit, at) {
        inputTokens += commit.record?.usage.inputTokens ?? 0;
        return right.commit(commit, at);
      },
      treeUsage: async () => ({ inputTokens, outputTokens: 1 }),
    };
  }),
];
