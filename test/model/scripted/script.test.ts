import { describe, expect, it } from "vitest";
import { ScriptError } from "../../../src/model/scripted/failure.ts";
import { scriptedModel } from "../../../src/model/scripted/scripted-model.ts";
import { reasoningSignature } from "../../../src/model/scripted/signature.ts";
import { ending, partsFrom, textOf, typesOf } from "./reading.ts";

describe("a scripted model with a script", () => {
  it("gives the answers of a list in order, then refuses by name", async () => {
    const model = scriptedModel(["one", { text: "two" }]);
    expect(textOf(await partsFrom(model))).toBe("one");
    expect(textOf(await partsFrom(model))).toBe("two");
    await expect(partsFrom(model)).rejects.toThrow(ScriptError);
    expect(model.requestCount).toBe(3);
  });

  it("answers by a function of the request, at once or later", async () => {
    const model = scriptedModel({ script: async ({ ordinal }) => ({ text: `answer ${ordinal}` }) });
    expect(textOf(await partsFrom(model))).toBe("answer 1");
    expect(textOf(await partsFrom(scriptedModel(() => "now")))).toBe("now");
  });

  it("rejects with what a reply throws, now or later", async () => {
    const broken = new Error("broken");
    const throwing = scriptedModel(() => {
      throw broken;
    });
    await expect(partsFrom(throwing)).rejects.toBe(broken);
    await expect(partsFrom(scriptedModel(() => Promise.reject(broken)))).rejects.toBe(broken);
  });

  it("streams a whole turn in the shape of a provider", async () => {
    const model = scriptedModel([
      {
        reasoning: "hm",
        text: "look",
        calls: [{ id: "c1", name: "look", args: { at: 1 } }],
        usage: { total_tokens: 7 },
      },
    ]);
    const parts = await partsFrom(model);
    expect(typesOf(parts)).toEqual([
      "stream-start",
      "response-metadata",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-delta",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-end",
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
      "finish",
    ]);
    expect(parts.at(-2)).toEqual({ type: "tool-call", toolCallId: "c1", toolName: "look", input: '{"at":1}' });
    expect(parts.at(-1)).toMatchObject({
      finishReason: { unified: "tool-calls" },
      usage: { inputTokens: { total: 7 } },
    });
  });

  it("signs reasoning that is complete and leaves unsigned reasoning bare", async () => {
    const signed = { anthropic: { signature: reasoningSignature("deep thought") } };
    const chunks = [{ reasoning_delta: "deep " }, { reasoning_delta: "thought" }, { unsigned_reasoning: "draft" }];
    const onDelta = await partsFrom(scriptedModel([{ chunks }]));
    expect(onDelta.filter((part) => "providerMetadata" in part)).toEqual([
      { type: "reasoning-delta", id: "1-0", delta: "", providerMetadata: signed },
    ]);
    const onEnd = await partsFrom(scriptedModel([{ chunks }], { signatureOn: "end" }));
    expect(onEnd.filter((part) => "providerMetadata" in part)).toEqual([
      { type: "reasoning-end", id: "1-0", providerMetadata: signed },
    ]);
  });

  it("joins texts in a row to one block", async () => {
    const parts = await partsFrom(scriptedModel([{ chunks: [{ text: "a" }, { text: "b" }] }]));
    expect(typesOf(parts).filter((type) => type.startsWith("text"))).toEqual([
      "text-start",
      "text-delta",
      "text-delta",
      "text-end",
    ]);
  });

  it("completes a call whose arguments came in pieces", async () => {
    const chunks = [
      { tool_call_delta: { id: "c1", name: "look", delta: '{"a' } },
      { tool_call_delta: 't":' },
      { tool_call: { id: "c1", name: "look", args: { at: 1 } } },
    ];
    const parts = await partsFrom(scriptedModel([{ chunks }]));
    expect(parts.flatMap((part) => (part.type === "tool-input-delta" ? [part.delta] : []))).toEqual([
      '{"a',
      't":',
      "1}",
    ]);
    expect(typesOf(parts).filter((type) => type === "tool-input-start")).toHaveLength(1);
  });

  it("leaves a call incomplete that only has deltas", async () => {
    const chunks = [{ tool_call_delta: { id: "c1", name: "look", args: '{"a' } }];
    const parts = await partsFrom(scriptedModel([{ chunks, end: "truncated" }]));
    expect(typesOf(parts)).not.toContain("tool-call");
    expect(ending(parts)).toBe("length");
  });

  it("passes on argument text that does not parse, empty ids, and gives an id where there is none", async () => {
    const calls = [{ id: "", name: "a", raw: '{"x":' }, { name: "b" }, { name: "b" }];
    const parts = await partsFrom(scriptedModel([{ calls }]));
    const made = parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part.input]] : []));
    expect(made).toEqual([
      ["", '{"x":'],
      ["call-1-1", "{}"],
      ["call-1-2", "{}"],
    ]);
  });

  it("passes on any other part as it is", async () => {
    const part = { type: "source", sourceType: "url", id: "s1", url: "https://example.org" } as const;
    expect(await partsFrom(scriptedModel([{ chunks: [{ part }] }]))).toContainEqual(part);
  });

  it("keeps as many requests as it is asked to and counts them all", async () => {
    const model = scriptedModel(() => "yes", { keep: 2 });
    for (let times = 0; times < 5; times++) await partsFrom(model);
    expect(model.requests.map(({ ordinal }) => ordinal)).toEqual([4, 5]);
    expect(model.requestCount).toBe(5);
  });
});

describe("doGenerate", () => {
  it("collects what the stream says", async () => {
    const model = scriptedModel([{ reasoning: "hm", text: "hi", calls: [{ id: "c1", name: "look" }] }]);
    const { content, finishReason } = await model.doGenerate({ prompt: [] });
    expect(content).toEqual([
      { type: "reasoning", text: "hm", providerMetadata: { anthropic: { signature: reasoningSignature("hm") } } },
      { type: "text", text: "hi" },
      { type: "tool-call", toolCallId: "c1", toolName: "look", input: "{}" },
    ]);
    expect(finishReason.unified).toBe("tool-calls");
  });

  it("throws what the stream ends in, and a retryable error for a drop", async () => {
    const model = scriptedModel([
      { chunks: [{ text: "a" }], end: { error: "fatal", message: "no" } },
      { chunks: [], end: "drop" },
    ]);
    await expect(model.doGenerate({ prompt: [] })).rejects.toMatchObject({ message: "no", isRetryable: false });
    await expect(model.doGenerate({ prompt: [] })).rejects.toMatchObject({ isRetryable: true });
  });
});
