import { type WrongStore, wrong } from "./wrong-store.ts";

/** Stores that go wrong over what calls ask and show. */
export const wrongQuestions: readonly WrongStore[] = [
  wrong("forgets what was asked", "loads the questions of outstanding calls", (right) => ({
    commit: ({ choices: _, ...commit }, at) => right.commit(commit, at),
  })),
  wrong("forgets an answer", "keeps the answer of a question", (right) => ({
    commit: (commit, at) =>
      right.commit({ ...commit, choices: { opened: commit.choices?.opened ?? [], moved: [] } }, at),
  })),
  wrong("hands over an approved call to nobody", "makes an approved call a committed one", (right) => ({
    commit: (commit, at) => right.commit({ ...commit, calls: { ...commit.calls, approved: [] } }, at),
  })),
  wrong("asks on for a call that is settled", "takes a settled call's questions with it", (right) => {
    const asked = new Map<string, unknown>();
    return {
      async commit(commit, at) {
        for (const choice of commit.choices?.opened ?? []) asked.set(choice.choiceId, choice);
        return right.commit(commit, at);
      },
      async load(threadId) {
        const loaded = await right.load(threadId);
        return loaded && { ...loaded, choices: [...asked.values()] as typeof loaded.choices };
      },
    };
  }),
  wrong("keeps the first view of a type", "keeps the latest view of each type", (right) => {
    const shown = new Set<string>();
    return {
      async commit(commit, at) {
        const views = commit.views?.filter(({ viewType }) => !shown.has(viewType)) ?? [];
        for (const { viewType } of views) shown.add(viewType);
        return right.commit({ ...commit, views }, at);
      },
    };
  }),
];
