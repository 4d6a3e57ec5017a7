import assert from "node:assert/strict";
import type { ThreadId } from "../../../../machines/history/ids.ts";
import type { Fact } from "../../../../machines/thread/facts.ts";
import { alpha, beta, commitOf, deliver, roomy, spec } from "../material.ts";
import { type Bench, requirement } from "../requirement.ts";

const said = (text: string): Fact => ({ type: "failure", code: "TOOL_FAILED", message: text });

/** Facts of two threads, of acceptances and commits in turn: `a` of alpha, `b` of beta, `c` and `d` of alpha, `e` of beta. */
const facts = async ({ store }: Bench) => {
  await store.create(alpha, spec, 1);
  await store.create(beta, spec, 1);
  const accepted = [
    { ...deliver(alpha, "1"), facts: [said("a")] },
    { ...deliver(beta, "2"), facts: [said("b")] },
  ];
  const acceptances = await store.accept(accepted, roomy);
  const outcomes = [
    await store.commit(commitOf(alpha, 0, { facts: [said("c"), said("d")] }), 2_000),
    await store.commit(commitOf(beta, 0, { facts: [said("e")] }), 3_000),
  ];
  return { acceptances, outcomes };
};

const messagesOf = (items: readonly { readonly type: string }[]): string =>
  items.map((item) => ("message" in item ? item.message : item.type)).join("");

/** Every fact once, in order, at a position: S6. */
export const feeding = [
  requirement(
    "S6",
    "has every fact once, in the order in which they became durable, with thread and instant",
    async (bench) => {
      await facts(bench);
      const items = await bench.store.feed({ after: 0, limit: 100 });
      assert.equal(messagesOf(items), "abcde");
      assert.deepEqual(
        items.map(({ threadId, at }) => ({ threadId, at })),
        [
          { threadId: alpha, at: 1_000 },
          { threadId: beta, at: 1_000 },
          { threadId: alpha, at: 2_000 },
          { threadId: alpha, at: 2_000 },
          { threadId: beta, at: 3_000 },
        ],
      );
    },
  ),

  requirement("S6", "gives facts positions that only grow, the first above 0", async (bench) => {
    await facts(bench);
    const positions = (await bench.store.feed({ after: 0, limit: 100 })).map(({ feed }) => feed);
    assert.equal(positions.length, 5, "position 0 is before the first fact");
    assert.deepEqual(
      [...new Set(positions)].sort((a, b) => a - b),
      positions,
    );
  }),

  requirement(
    "S6",
    "tells acceptances and commits the position of their first fact; the others follow it",
    async (bench) => {
      const { acceptances, outcomes } = await facts(bench);
      const positions = (await bench.store.feed({ after: 0, limit: 100 })).map(({ feed }) => feed);
      const told = [...acceptances, ...outcomes].map((answer) => ("feed" in answer ? answer.feed : undefined));
      assert.deepEqual(told, [positions[0], positions[1], positions[2], positions[4]]);
      assert.equal(positions[3], (positions[2] ?? 0) + 1, "facts of one commit have consecutive positions");
    },
  ),

  requirement("S6", "is read in pages of any size, from behind any position, for all threads or one", async (bench) => {
    await facts(bench);
    const { store } = bench;
    for (const [threadId, all] of [
      [undefined, "abcde"],
      [alpha, "acd"],
      [beta, "be"],
    ] as const) {
      for (let limit = 1; limit <= 6; limit++) {
        let [seen, after, pages] = ["", 0, 0];
        for (;;) {
          const page = await store.feed({ after, limit, ...(threadId && { threadId }) });
          assert(page.length <= limit, "a page has at most `limit` facts");
          seen += messagesOf(page);
          after = page.at(-1)?.feed ?? after;
          assert(pages++ <= 6, "reading on from the last position comes to an end");
          if (page.length === 0) break;
        }
        assert.equal(seen, all, `pages of ${limit} for ${threadId ?? "all threads"}`);
      }
    }
    assert.deepEqual(await store.feed({ after: 0, limit: 9, threadId: "suite/nobody" as ThreadId }), []);
  }),

  requirement("S6", "is empty behind its last position, until there is more", async (bench) => {
    await facts(bench);
    const { store } = bench;
    const after = (await store.feed({ after: 0, limit: 100 })).at(-1)?.feed ?? 0;
    assert.deepEqual(await store.feed({ after, limit: 100 }), []);
    await store.commit(commitOf(beta, 1, { facts: [said("f")] }), 4_000);
    assert.equal(messagesOf(await store.feed({ after, limit: 100 })), "f");
  }),
];
