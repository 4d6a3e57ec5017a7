import { z } from "zod";
import { callsOf, textOf } from "../../../machines/history/entry.ts";
import { LeaseHeldError, StoreError } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/logger.ts";
import type { ScriptedReply } from "../../../src/model/scripted/scripted-model.ts";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import type { Store } from "../../../src/store/store.ts";
import type { System } from "../../../src/system/api.ts";
import { createSystem } from "../../../src/system/create.ts";
import { settle, type VirtualClock, virtualClock } from "../../../src/testing/virtual-clock.ts";
import { answerFor } from "../../../src/tool/answer.ts";
import { defineTool } from "../../../src/tool/define.ts";

/**
 * A story that meets every method of a store: texts, each form of a tool, a subscription, a child, a timer, an approval,
 * threads that leave memory, a stop and a start. It is the same whenever it is played, and whatever fails for a while.
 */

const base = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: z.object({}) });

const tools = [
  defineTool({ ...base("look"), run: () => "seen" }),
  defineTool({ ...base("stamp"), inline: () => "stamped" }),
  defineTool({ ...base("deploy"), needsApproval: true, run: () => "deployed" }),
  defineTool({
    ...base("watch"),
    subscribe: () => ({
      started: "watching",
      events: (async function* () {
        yield { id: "one", text: "one", associative: true };
        yield { id: "two", text: "two" };
        yield { id: "three", text: "three", associative: true, final: true };
      })(),
    }),
  }),
];

const threadId = "outing";

const callsFor: Readonly<Record<string, readonly { name: string; args?: Record<string, unknown> }[]>> = {
  work: [{ name: "look" }, { name: "stamp" }],
  sleep: [{ name: "sleep", args: { seconds: 5 } }],
  watch: [{ name: "watch" }],
  split: [{ name: "spawn_thread", args: { instructions: "Look.", child_of: [threadId] } }],
  deploy: [{ name: "deploy" }],
};

/** What is said to the thread, in this order; each waits until the one before has come to its end. */
export const texts = Object.keys(callsFor);

const reply: ScriptedReply = ({ prompt }) => {
  const last = prompt.at(-1);
  if (last?.role === "user") {
    const text = last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { text: `doing ${text}`, calls: callsFor[text] ?? [] };
  }
  const said = JSON.stringify(last?.content);
  if (!said.includes("You are a child thread") || !said.includes("Your instructions")) return "done";
  const childId = /Your thread id is (\S+?)\. /.exec(said)?.[1] ?? "";
  return { calls: [{ name: "close_thread", args: { thread_id: childId, report_to_parent: "seen" } }] };
};

/** ms between looks, and looks after which what should have happened will not. */
const moment = 500;
const most = 100;

/** Turns the clock until it is settled. */
const settledBy = async <T>(clock: VirtualClock, act: () => Promise<T>): Promise<T> => {
  let isOver = false;
  const answer = act().finally(() => {
    isOver = true;
  });
  answer.catch(() => {});
  for (let turns = 0; turns < most && !isOver; turns++) await clock.advance(moment);
  if (!isOver) throw new Error("it is not over within the time that it may take");
  return answer;
};

/** Does what may fail with the store until it succeeds, as a caller would. */
const insist = async <T>(clock: VirtualClock, act: () => Promise<T>): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await settledBy(clock, act);
    } catch (error) {
      if (tries === most || !isStoreFailure(error)) throw error;
    }
  }
};

/** Where the lease could not be given back, the next start waits until it has run out. */
const started = async (store: Store, clock: VirtualClock): Promise<System> => {
  try {
    return await start(store, clock);
  } catch (error) {
    if (!(error instanceof LeaseHeldError)) throw error;
    await clock.advance(error.until - clock.now() + 1);
    return start(store, clock);
  }
};

const start = (store: Store, clock: VirtualClock): Promise<System> => {
  let ids = 0;
  return createSystem(
    {
      model: scriptedModel(reply, { strict: true }),
      store,
      clock,
      tools,
      logger: silentLogger,
      random: () => 0.5,
      limits: { hibernateAfter: 1_000, eventChildLinger: 10_000, lease: 5_000 },
    },
    { freshId: () => `fresh-${clock.now()}-${++ids}` },
  );
};

const rests = async (kept: Store, clock: VirtualClock, text: string): Promise<void> => {
  for (let looks = 0; looks < most; looks++) {
    await clock.advance(moment);
    const threads = await kept.threads();
    const isThere = (await kept.history(threadId as never)).some(
      ({ entry }) => entry.kind === "user" && entry.text === text,
    );
    if (isThere && threads.every(({ state, waiting, due }) => ["idle", "closed"].includes(state) && !waiting && !due))
      return;
  }
};

/** Plays it on `store`, which keeps in `kept` what it does not fail with. Resolves to what became of it, without ids and instants. */
export const outing = async (store: Store, kept: Store): Promise<string> => {
  const clock = virtualClock(1_000_000);
  let system = await insist(clock, () => started(store, clock));
  for (const text of texts) {
    const thread = await insist(clock, () => system.open(threadId));
    await insist(clock, () => thread.send(text, { id: text }));
    if (text === "deploy") {
      for (let looks = 0; looks < most; looks++) {
        await clock.advance(moment);
        const loaded = await kept.load(threadId as never);
        const [question] = loaded?.choices ?? [];
        if (!question) continue;
        const answer = answerFor(question.choiceId, "approve", { id: "approved" });
        await insist(clock, () => system.deliver(answer));
        break;
      }
    }
    await rests(kept, clock, text);
    if (text === "sleep") {
      const last = system;
      await settledBy(clock, () => last.stop());
      system = await insist(clock, () => started(store, clock));
    }
  }
  await clock.advance(60_000);
  const last = system;
  await settledBy(clock, () => last.stop());
  await settle();
  return outlineOf(kept);
};

/** Histories but for what the model only says, states and inboxes of all threads. */
const outlineOf = async (kept: Store): Promise<string> => {
  const lines: string[] = [];
  const threads = await kept.threads();
  const names = new Map<string, string>([[threadId, threadId]]);
  const ordered = [...threads].sort((a, b) => (a.parent === null ? -1 : b.parent === null ? 1 : 0));
  for (const { threadId: id, state, waiting, due } of ordered) {
    const history = await kept.history(id);
    const own = history.flatMap(({ entry }) => {
      if (entry.kind === "turn") {
        const names = callsOf(entry).map(({ name }) => name);
        return names.length > 0 ? [`  calls ${names.join(", ")}`] : [];
      }
      const said = entry.kind === "result" ? `${entry.origin} ${textOf(entry.content)}` : entry.text;
      return [`  ${entry.kind} ${said.replaceAll(/\d{4}-\d\d-\d\dT\S+Z/g, "(instant)")}`];
    });
    names.set(id, names.get(id) ?? `child that begins with ${history[0]?.entry.kind}`);
    lines.push(`${names.get(id)} ${state} waiting ${waiting}${due ? " due" : ""}`, ...own);
  }
  let outline = lines.join("\n");
  for (const [id, name] of names) outline = outline.replaceAll(id, name);
  const [root = "", ...children] = outline.split(/\n(?=child)/);
  return [root, ...children.sort()].join("\n");
};

const isStoreFailure = (error: unknown): boolean => error instanceof StoreError || String(error).includes("disk");
