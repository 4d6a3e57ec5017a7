import { describe, expect, it } from "vitest";
import { modelName, resolveModelOptions } from "../../src/model/model.ts";

const model = (provider: string, modelId = "m-1") => ({ provider, modelId });

describe("a model", () => {
  it("is named by provider and model id", () =>
    expect(modelName(model("anthropic.messages", "claude"))).toBe("anthropic.messages/claude"));

  it.each([
    model("anthropic.messages"),
    model("google.generative-ai"),
    model("google.vertex.chat"),
    model("vertex.anthropic.messages"),
    model("amazon-bedrock"),
    model("gateway", "anthropic/claude-sonnet-4.5"),
  ])("that may sign its calls reads events as text: $provider/$modelId", (signs) =>
    expect(resolveModelOptions(signs).eventsAs).toBe("text"),
  );

  it.each([
    model("openai.responses"),
    model("mistral.chat", "anthropic-like"),
    model("scripted"),
    model("gateway", "openai/gpt-5"),
  ])("of others reads them as calls: $provider/$modelId", (other) =>
    expect(resolveModelOptions(other).eventsAs).toBe("call"),
  );

  it("is sent images of results, but in chat completions, whose results are text", () => {
    for (const provider of ["anthropic.messages", "openai.responses", "google.generative-ai", "scripted"])
      expect(resolveModelOptions(model(provider)).supportsImages).toBe(true);
    for (const provider of ["openai.chat", "ollama.chat", "mistral.chat"])
      expect(resolveModelOptions(model(provider)).supportsImages).toBe(false);
  });

  it("has the options its owner gives, before any default", () => {
    const options = {
      eventsAs: "call",
      keepUnsignedReasoning: true,
      supportsImages: false,
      contextWindow: 9,
      settings: { seed: 1 },
    } as const;
    expect(resolveModelOptions(model("anthropic"), options)).toEqual(options);
    expect(resolveModelOptions(model("openai"))).toEqual({
      eventsAs: "call",
      keepUnsignedReasoning: false,
      supportsImages: true,
      settings: {},
    });
  });
});
