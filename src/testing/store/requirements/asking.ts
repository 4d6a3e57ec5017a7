import assert from "node:assert/strict";
import type { Choice } from "../../../../machines/thread/choice.ts";
import type { Call, ThreadCommit } from "../../../../machines/thread/commit.ts";
import type { Store } from "../../../store/store.ts";
import { alpha, callOf, commitOf, recordOf, spec, turn } from "../material.ts";
import { requirement } from "../requirement.ts";

const [proposed, working] = [callOf(alpha, 1, { status: "proposed" }), callOf(alpha, 2)];

const asked = ({ callId }: Call, key: string, more: Partial<Choice> = {}): Choice => ({
  choiceId: `${callId}${key}`,
  callId,
  kind: "ask",
  prompt: 'Which "one"? é\u{1F600}',
  choices: ["this", "that"],
  default: 1,
  expiresAt: 5_000,
  answer: null,
  ...more,
});

const approval = asked(proposed, "", { kind: "approval" });
const questions = [approval, asked(working, "?b"), asked(working, "?a", { default: null, expiresAt: null })];

/** Two calls, one of which waits for approval, with three questions between them. */
const withQuestions = async (store: Store): Promise<void> => {
  await store.create(alpha, spec, 1);
  await store.commit(
    commitOf(alpha, 0, {
      entries: [turn(0, [proposed.callId, working.callId])],
      calls: { made: [proposed, working], settled: [] },
      choices: { opened: questions, moved: [] },
      record: recordOf({ nextPosition: 3, state: "awaitingActiveCall" }),
    }),
    1_000,
  );
};

const choicesIn = async (store: Store) => (await store.load(alpha))?.choices;
const commit = (store: Store, version: number, more: Partial<ThreadCommit>) =>
  store.commit(commitOf(alpha, version, more), 2_000);

/** Questions to people, and what tools show: S7, S9, S19. */
export const asking = [
  requirement("S19", "loads the questions of outstanding calls in the order they were opened", async (bench) => {
    await withQuestions(bench.store);
    assert.deepEqual(await choicesIn(bench.store), questions);
    assert.deepEqual(await choicesIn(await bench.reopen()), questions);
  }),

  requirement("S19", "keeps the answer of a question, in its place", async (bench) => {
    const { store } = bench;
    await withQuestions(store);
    const answer = { index: 0, by: "ann", reason: null };
    const ran = { index: 1, by: null, reason: null, expired: true } as const;
    const moved = questions.slice(1).map((choice, index) => ({ ...choice, answer: index === 0 ? answer : ran }));
    await commit(store, 1, { choices: { opened: [], moved } });
    assert.deepEqual(await choicesIn(await bench.reopen()), [approval, ...moved]);
  }),

  requirement("S9", "makes an approved call a committed one, which makes its thread due", async (bench) => {
    const { store } = bench;
    await store.create(alpha, spec, 1);
    await commit(store, 0, { entries: [turn(0, [proposed.callId])], calls: { made: [proposed], settled: [] } });
    const due = async () => (await store.threads({ withWork: true })).map(({ threadId }) => threadId);
    assert.deepEqual(await due(), [], "a person has the word: nobody has to take the thread up");
    await commit(store, 1, { calls: { made: [], settled: [], approved: [proposed.callId] } });
    assert.deepEqual(await due(), [alpha]);
    assert.equal((await (await bench.reopen()).load(alpha))?.calls[0]?.status, "committed");
  }),

  requirement("S9", "takes no call back that is further than approved", async ({ store }) => {
    await withQuestions(store);
    await store.mark(alpha, [working.callId], "started");
    await commit(store, 1, { calls: { made: [], settled: [], approved: [working.callId] } });
    assert.deepEqual(
      (await store.load(alpha))?.calls.map(({ status }) => status),
      ["proposed", "started"],
    );
  }),

  requirement("S7", "takes a settled call's questions with it, and no others", async (bench) => {
    const { store } = bench;
    await withQuestions(store);
    await commit(store, 1, { calls: { made: [], settled: [working.callId] } });
    assert.deepEqual(await choicesIn(await bench.reopen()), [approval]);
  }),

  requirement("S19", "keeps the latest view of each type, whatever happens to its thread", async (bench) => {
    const { store } = bench;
    await store.create(alpha, spec, 1);
    const view = (viewType: string, content: number) => ({ viewType, content: { deep: [content, null, "é"] } });
    await commit(store, 0, { views: [view("plan", 1), view("diff", 2)] });
    await commit(store, 1, { views: [view("plan", 3)], record: recordOf({ state: "closed" }) });
    assert.deepEqual((await (await bench.reopen()).load(alpha))?.views, [view("diff", 2), view("plan", 3)]);
  }),

  requirement("S3", "keeps no question and no view of a commit that is stale", async ({ store }) => {
    await withQuestions(store);
    const answered = questions.map((choice) => ({ ...choice, answer: { index: 0, by: null, reason: null } }));
    await commit(store, 7, {
      choices: { opened: [], moved: answered },
      views: [{ viewType: "plan", content: 1 }],
      calls: { made: [], settled: [], approved: [proposed.callId] },
    });
    const loaded = await store.load(alpha);
    assert.deepEqual([loaded?.choices, loaded?.views, loaded?.calls[0]?.status], [questions, [], "proposed"]);
  }),
];
