import { describe, expect, it } from "vitest";
import { createSender, createSystem, memoryStore } from "../../src/index.ts";
import { scriptedModel } from "../../src/model/scripted/scripted-model.ts";

describe("a thread that comes into memory", () => {
  it("writes what it discards before what it begins, in the order of its versions", async () => {
    const store = memoryStore();
    const spec = { tools: [], instructions: "", metadata: {} };
    await store.create("t" as never, spec, 0);
    const sender = createSender(store);
    const result = { kind: "result", callId: "t#9.0", content: [{ type: "text", text: "late" }] };
    await sender.send({ threadId: "t", dedupId: "1", input: result });
    await sender.send({ threadId: "t", dedupId: "2", input: { kind: "close" } });
    const errors: string[] = [];
    const note = (_: object, message: string) => void errors.push(message);
    const logger = { debug: () => {}, info: () => {}, warn: note, error: note };
    const system = await createSystem({ store, model: scriptedModel([]), logger });
    const thread = await system.open("t");
    expect(await thread.atRest()).toBe("closed");
    expect(errors).toEqual([]);
    await system.stop();
  });
});
