import { Subject } from "rxjs";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSystem,
  defineTool,
  memoryStore,
  type ProducerEvent,
  type System,
  silentLogger,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { settle, virtualClock } from "../../src/testing/virtual-clock.ts";
import type { ToolCall } from "../../src/tool/call.ts";

const systems: System[] = [];
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.stop()));
});

const base = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: z.object({}) });

/** A thread that waits for tools which nobody can stop, closed while they work. */
const closedAtWork = async () => {
  const work = Promise.withResolvers<string>();
  const question = Promise.withResolvers<unknown>();
  const events = new Subject<ProducerEvent>();
  let call: ToolCall | undefined;
  const tools = [
    defineTool({
      ...base("work"),
      run: (_, given) => {
        call = given;
        return work.promise;
      },
    }),
    defineTool({ ...base("fail"), run: () => work.promise.then(() => Promise.reject(new Error("too late"))) }),
    defineTool({
      ...base("ask"),
      run: (_, { ask }) => {
        const answer = ask({ prompt: "Blue?", choices: ["yes", "no"], default: "no" });
        answer.then(question.resolve, question.resolve);
        return answer;
      },
    }),
    defineTool({ ...base("watch"), subscribe: () => ({ started: "watching", events }) }),
  ];
  const model = scriptedModel(
    [{ calls: [{ name: "watch" }] }, "watching", { calls: ["work", "fail", "ask"].map((name) => ({ name })) }, "hello"],
    { strict: true },
  );
  const store = memoryStore();
  const clock = virtualClock(1_000_000);
  const said: string[] = [];
  const logger = {
    ...silentLogger,
    error: (fields: object, text: string) => void said.push(JSON.stringify([fields, text])),
  };
  const system = await createSystem({ model, store, clock, tools, logger });
  systems.push(system);
  const thread = await system.open("t");
  await thread.send("watch");
  await clock.advance(1_000);
  expect(thread.state).toBe("subscribed");
  await thread.send("work");
  expect(await thread.atRest()).toBe("awaitingActiveCall");
  await settle();
  await thread.close();
  await clock.advance(60_000);
  const feed = () => store.feed({ after: 0, limit: 1_000 });
  return { store, clock, system, model, said, work, question, events, feed, call: call as ToolCall };
};

describe("a tool that comes to its end after its thread has closed", () => {
  it("is not heard, breaks nothing, and its call has said before why it ended (R1, R9)", async () => {
    const { store, clock, system, work, events, feed } = await closedAtWork();
    const settled = (await feed()).flatMap((fact) => (fact.type === "call.settled" ? [fact.origin] : []));
    expect(settled).toEqual(["tool", "interrupted", "interrupted", "interrupted"]);
    const before = await feed();
    work.resolve("done at last");
    events.next({ text: "an event", associative: true });
    events.next({ nonsense: true } as never);
    events.error(new Error("too late"));
    await clock.advance(60_000);
    expect(await feed()).toEqual(before);
    expect((await store.threads()).map(({ state, waiting }) => [state, waiting])).toEqual([["closed", 0]]);
    const other = await system.open("other");
    expect(await other.ask("hello?")).toBe("hello");
  });

  it("was told to stop, and a question that it asked ends too (R9)", async () => {
    const { call, question } = await closedAtWork();
    expect(call.signal.aborted).toBe(true);
    expect(await question.promise).toMatchObject({ name: "AbortError" });
  });

  it("that delivers by hand all the same is told that the thread has closed (R1)", async () => {
    const { system, call } = await closedAtWork();
    for (const send of [() => call.sender.send(call.result("late")), () => system.deliver(call.result("later"))])
      await expect(send()).rejects.toMatchObject({ code: "INPUT_REFUSED", message: expect.stringMatching(/closed/) });
  });
});
