import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  choiceFor,
  createSystem,
  defineTool,
  memoryStore,
  oauthFor,
  type QuestionAnswer,
  resultFor,
  type System,
  type SystemOptions,
  silentLogger,
  type Tool,
  type ToolCall,
  viewFor,
} from "../../src/index.ts";
import { type Script, scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

const start = async (tools: Tool[], script: Script, more: Partial<SystemOptions> = {}) => {
  const clock = virtualClock();
  const model = scriptedModel(script, { strict: true });
  const system = await createSystem({ model, tools, clock, logger: silentLogger, ...more });
  systems.push(system);
  return { system, model, clock, thread: await system.open("t") };
};
const call = { calls: [{ name: "deploy", args: {} }] };
const deploying = (run: (call: ToolCall) => unknown, more: object = {}) =>
  defineTool({
    name: "deploy",
    description: "Deploys.",
    inputSchema: z.object({}),
    run: (_, call) => run(call),
    ...more,
  });
const where = { prompt: "Where to?", choices: ["here", "there"], default: "there" };
const begun = async (started: Awaited<ReturnType<typeof start>>) => {
  await started.thread.send("go");
  await settle();
  return (await started.thread.choices()).map(({ choiceId }) => choiceId);
};
const said = async ({ thread }: Awaited<ReturnType<typeof start>>) =>
  JSON.stringify((await thread.history()).map(({ entry }) => (entry.kind === "result" ? entry.content : "")));

describe("a tool that asks a person", () => {
  it("goes on with the answer, and nothing of it is in the history", async () => {
    const tool = deploying(async ({ ask }) => JSON.stringify(await ask(where)));
    const started = await start([tool], [call, "done"]);
    const [id = ""] = await begun(started);
    await started.thread.answer(id, "here", { by: "ann", reason: "closer" });
    await settle();
    expect(
      JSON.parse(
        JSON.parse(await said(started))
          .flat()
          .find(Boolean).text,
      ),
    ).toEqual({
      choice: "here",
      index: 0,
      by: "ann",
      reason: "closer",
    });
  });

  it("may ask several things at once, answered in any order", async () => {
    const tool = deploying(async ({ ask }) => {
      const answers = await Promise.all([ask({ ...where, key: "a" }), ask({ ...where, key: "b" }), ask(where)]);
      return answers.map(({ choice }) => choice).join();
    });
    const started = await start([tool], [call, "done"]);
    const [a = "", b = "", c = ""] = await begun(started);
    for (const [id, choice] of [
      [c, 0],
      [a, 1],
      [b, 0],
    ] as const)
      await started.thread.answer(id, choice);
    await settle();
    expect(await said(started)).toContain("there,here,here");
  });

  it("has the same answer for the same key, however often it asks", async () => {
    const tool = deploying(async ({ ask }) => {
      const key = { ...where, key: "k" };
      const [one, two] = await Promise.all([ask(key), ask(key)]);
      return [one, two, await ask(key)].map(({ choice }) => choice).join();
    });
    const started = await start([tool], [call, "done"]);
    const ids = await begun(started);
    expect(ids).toHaveLength(1);
    await started.thread.answer(ids[0] ?? "", "here");
    await settle();
    expect(await said(started)).toContain("here,here,here");
  });

  it("gets the default when nobody answers in time", async () => {
    const answers: QuestionAnswer[] = [];
    const tool = deploying(async ({ ask }) => answers.push(await ask({ ...where, expiresAt: 10_000 })));
    const started = await start([tool], [call, "done"]);
    await begun(started);
    await started.clock.advance(20_000);
    await settle();
    expect(answers).toEqual([{ choice: "there", index: 1, expired: true }]);
  });

  it("finds its questions after a restart: the open one is waited for, the answered one is given", async () => {
    const store = memoryStore();
    const runs: string[][] = [];
    const tool = deploying(
      async ({ ask }) => {
        const run: string[] = [];
        runs.push(run);
        run.push((await ask(where)).choice);
        run.push((await ask(where)).choice);
        return run.join("+");
      },
      { onRestart: "again" },
    );
    const first = await start([tool], [call], { store });
    const [one = ""] = await begun(first);
    await first.thread.answer(one, "here");
    await settle();
    await first.system.stop();
    const next = await start([tool], ["done"], { store });
    await settle();
    const [two = "", ...more] = (await next.thread.choices()).map(({ choiceId }) => choiceId);
    expect([more, two === one]).toEqual([[], false]);
    await next.thread.answer(two, "there");
    await settle();
    expect(runs).toEqual([["here"], ["here", "there"]]);
    expect(await said(next)).toContain("here+there");
  });

  it("that is not repeated has its question withdrawn by the restart", async () => {
    const store = memoryStore();
    const tool = deploying(async ({ ask }) => (await ask(where)).choice);
    const first = await start([tool], [call], { store });
    const [id = ""] = await begun(first);
    await first.system.stop();
    const next = await start([tool], ["done"], { store });
    await settle();
    expect(await next.thread.choices()).toEqual([]);
    await expect(next.thread.answer(id, 0)).rejects.toMatchObject({ code: "CHOICE_CLOSED" });
  });

  it("stops waiting when its call is interrupted", async () => {
    const ends: unknown[] = [];
    const tool = deploying(({ ask }) => ask(where).catch((error) => ends.push(error.name)));
    const started = await start([tool], [call, "as you like"]);
    await begun(started);
    await started.thread.ask("leave it");
    expect(ends).toEqual(["AbortError"]);
    expect(await started.thread.choices()).toEqual([]);
  });

  it("is told at once what cannot be asked, and by an inline tool nothing can", async () => {
    const problems: string[] = [];
    const wrong = [
      { ...where, prompt: " " },
      { ...where, prompt: "x".repeat(1_000_000) },
      { ...where, choices: [] },
      { ...where, choices: ["a", "a"], default: "a" },
      { ...where, default: "nowhere" },
      { ...where, default: 2 },
      { ...where, expiresAt: new Date("no date") },
      { ...where, key: "k".repeat(1_000) },
    ];
    const tool = deploying(async ({ ask }) => {
      for (const question of wrong) await ask(question).catch((error) => problems.push(error.code));
      return "told";
    });
    const inline = defineTool({
      name: "look",
      description: "Looks.",
      inputSchema: z.object({}),
      inline: async (_, { ask }) => ask(where).catch((error) => problems.push(error.message)),
    });
    const started = await start([tool, inline], [{ calls: [{ name: "deploy" }, { name: "look" }] }, "done"]);
    await started.thread.send("go");
    await settle();
    expect(problems.filter((problem) => problem === "QUESTION")).toHaveLength(wrong.length);
    expect(problems.find((problem) => problem !== "QUESTION")).toMatch(/look.*inline.*use run/);
  });
});

describe("a tool that works elsewhere", () => {
  it("asks, hears the answer from the feed, and its question closes with its result", async () => {
    const addresses: string[] = [];
    const tool = defineTool({
      name: "deploy",
      description: "Deploys.",
      inputSchema: z.object({}),
      dispatch: (_, { address }) => void addresses.push(address),
    });
    const store = memoryStore();
    const started = await start([tool], [call, "done"], { store });
    await begun(started);
    const [address = ""] = addresses;
    await started.system.deliver(choiceFor(address, where));
    await started.system.deliver(oauthFor(address, "https://example.com/auth"));
    await started.system.deliver([viewFor(address, "diff", { lines: 1 }), viewFor(address, "diff", { lines: 3 })]);
    const [choice] = await started.thread.choices();
    await started.thread.answer(choice?.choiceId ?? "", 0);
    await expect(started.thread.answer(choice?.choiceId ?? "", 1)).rejects.toThrow(/answered.*"here"/);
    await started.system.deliver(resultFor(address, "selected here"));
    await settle();
    const types = (await store.feed({ after: 0, limit: 100 })).map(({ type }) => type);
    expect(types.filter((type) => /^(choice|oauth|view)/.test(type))).toEqual([
      "choice.opened",
      "oauth.required",
      "view.updated",
      "view.updated",
      "choice.answered",
      "choice.closed",
    ]);
    expect((await store.load("t" as never))?.views).toEqual([{ viewType: "diff", content: { lines: 3 } }]);
    expect(await said(started)).not.toContain("example.com");
  });
});
