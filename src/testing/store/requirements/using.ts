import assert from "node:assert/strict";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { Usage } from "../../../../machines/round/turn.ts";
import type { Store } from "../../../store/store.ts";
import { alpha, beta, childOf, commitOf, recordOf, spec, toOpen } from "../material.ts";
import { requirement } from "../requirement.ts";

const idOf = (name: string) => `suite/using/${name}` as ThreadId;
const [child, grandchild] = [idOf("child"), idOf("grandchild")];

const used = (inputTokens: number, more: Partial<Usage> = {}): Usage => ({ inputTokens, outputTokens: 1, ...more });
const commit = (store: Store, threadId: ThreadId, version: number, usage: Usage, state: "idle" | "closed" = "idle") =>
  store.commit(commitOf(threadId, version, { record: recordOf({ usage, state }) }), 1_000);

/** Each part as a number, one that was left out as 0. */
const counted = async (store: Store, root: ThreadId) => {
  const {
    inputTokens,
    outputTokens,
    cachedInputTokens = 0,
    reasoningTokens = 0,
    cost = 0,
  } = (await store.treeUsage?.(root)) ?? used(0);
  return [inputTokens, outputTokens, cachedInputTokens, reasoningTokens, cost];
};

/** What trees have used: S22. Nothing of a store that does not count. */
export const using = [
  requirement("S22", "sums what a root and all threads below it have used, open and closed", async (bench) => {
    const { store } = bench;
    if (!store.treeUsage) return;
    await store.create(alpha, spec, 1);
    await store.create(beta, spec, 1);
    await store.commit(commitOf(alpha, 0, toOpen(childOf([alpha], child))), 1_000);
    await store.commit(commitOf(child, 0, toOpen(childOf([alpha, child], grandchild))), 1_000);
    await commit(store, alpha, 1, used(1, { cachedInputTokens: 5, cost: 0.5 }));
    await commit(store, child, 1, used(10, { reasoningTokens: 7, cost: 0.25 }), "closed");
    await commit(store, grandchild, 0, used(100));
    await commit(store, beta, 0, used(1_000));
    const again = await bench.reopen();
    assert.deepEqual(await counted(again, alpha), [111, 3, 5, 7, 0.75]);
    assert.deepEqual(await counted(again, beta), [1_000, 1, 0, 0, 0]);
  }),

  requirement("S22", "counts what the last commit of a thread left, and nothing of a stale one", async ({ store }) => {
    if (!store.treeUsage) return;
    await store.create(alpha, spec, 1);
    assert.deepEqual(await counted(store, alpha), [0, 0, 0, 0, 0]);
    await commit(store, alpha, 0, used(3));
    await commit(store, alpha, 1, used(8));
    await commit(store, alpha, 0, used(900));
    await store.commit(commitOf(alpha, 2), 1_000);
    assert.deepEqual(await counted(store, alpha), [8, 1, 0, 0, 0]);
  }),

  requirement("S22", "says that nothing was used of a thread that there is not", async ({ store }) => {
    if (store.treeUsage) assert.deepEqual(await counted(store, idOf("none")), [0, 0, 0, 0, 0]);
  }),
];
