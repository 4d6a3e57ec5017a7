import { describe, expect, it } from "vitest";
import { summaryRequest } from "../../machines/history/wording.ts";
import { memoryStore } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";
import { systemWith } from "../support/system/started.ts";

const isSummary = (prompt: unknown): boolean => JSON.stringify(prompt).includes(summaryRequest.slice(0, 40));

describe("thread.compact()", () => {
  it("while a round is open and a text cuts it, waits for the answer and is done then (R6)", async () => {
    const model = scriptedModel({ strict: true });
    const system = await systemWith({ model, store: memoryStore() });
    const thread = await system.open("t");
    await thread.send("one, and this is a long text that a short summary can stand for");
    const first = await model.next();
    const outcome = thread.compact();
    await thread.send("two");
    const second = await model.next();
    expect(isSummary(second.prompt)).toBe(false);
    expect(first.open).toBe(false);
    second.answer("answered");
    const third = await model.next();
    expect(isSummary(third.prompt)).toBe(true);
    third.answer("SUM");
    expect(await outcome).toBe("done");
  });

  it("that is accepted together with a text waits for its answer", async () => {
    const model = scriptedModel({ strict: true });
    const system = await systemWith({ model, store: memoryStore() });
    const thread = await system.open("t");
    const sent = thread.send("one, and this is a long text that a short summary can stand for");
    const outcome = thread.compact();
    await sent;
    (await model.next()).answer("answered");
    const next = await model.next();
    expect(isSummary(next.prompt)).toBe(true);
    next.answer("SUM");
    expect(await outcome).toBe("done");
  });

  it("of a thread that is closed first is told so", async () => {
    const model = scriptedModel({ strict: true });
    const system = await systemWith({ model, store: memoryStore() });
    const thread = await system.open("t");
    await thread.send("one");
    await model.next();
    const outcome = thread.compact();
    await thread.close();
    expect(await outcome).toBe("given up");
  });
});
